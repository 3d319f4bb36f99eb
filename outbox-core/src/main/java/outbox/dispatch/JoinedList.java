package outbox.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events that are looked for, in the order of their inserts. Bounded, in number and in bytes, by those who ask for {@link #room} before they
 * insert: several that ask at the same time may take a little more. Thread-safe.
 *
 * <p>A look begins before the table is read, so a word that comes while it is read makes the event due again.
 */
final class JoinedList {

    private final int capacity;
    private final long capacityBytes;
    private final Map<String, JoinedEvent> events = new LinkedHashMap<>();
    private long bytes;
    /** For those who write without joining anything, and must not wait here. */
    private volatile boolean empty = true;

    JoinedList(int capacity, long capacityBytes) {
        this.capacity = capacity;
        this.capacityBytes = capacityBytes;
    }

    /**
     * An event that is being looked for.
     *
     * @param over whether nobody will look for it again
     * @param ruledOut whether somebody says that there will be no row
     */
    record Look(JoinedEvent joined, boolean over, boolean ruledOut) {

        /** Whether it is forgotten if there is no row of it. */
        boolean last() {
            return over || ruledOut;
        }
    }

    /** How many more events there is room for. */
    synchronized int room() {
        return Math.max(0, capacity - events.size());
    }

    /** How much memory more they may take. */
    synchronized long bytesLeft() {
        return Math.max(0, capacityBytes - bytes);
    }

    /** Takes an event in. */
    synchronized void add(JoinedEvent joined) {
        writtenAgain(joined.eventId());
        events.put(joined.eventId(), joined);
        empty = false;
        bytes += joined.event.sizeInMemory();
    }

    /** Takes an event in that is due now. Returns false if there is no room. */
    synchronized boolean addDue(JoinedEvent joined, long now) {
        if (room() == 0 || bytesLeft() == 0) {
            return false;
        }
        joined.lookAt(now);
        add(joined);
        return true;
    }

    /** The id was inserted once more, so the event that is looked for under it was rolled back. */
    void writtenAgain(String eventId) {
        if (!empty) {
            settle(eventId);
        }
    }

    private synchronized void settle(String eventId) {
        JoinedEvent before = events.get(eventId);
        if (before != null) {
            before.settle();
            remove(before);
        }
    }

    /**
     * Makes events due. One that was forgotten, because its transaction was open for longer than its lease, comes back as long as there is room.
     *
     * @param ruledOut whether there will be no rows
     */
    synchronized void look(Collection<JoinedEvent> transaction, boolean ruledOut, long now) {
        for (JoinedEvent joined : transaction) {
            if (ruledOut) {
                joined.ruleOut();
            }
            joined.lookAt(now);
            if (!joined.isSettled() && !events.containsKey(joined.eventId()) && room() > 0) {
                add(joined);
            }
        }
    }

    /** Makes all of them due, once more. */
    synchronized void lookForAll(long now) {
        events.values().forEach(JoinedEvent::lookOnce);
        look(List.copyOf(events.values()), false, now);
    }

    /** What is due now. */
    synchronized List<Look> beginLook(long now) {
        List<Look> due = new ArrayList<>();
        for (JoinedEvent joined : events.values()) {
            if (joined.isDue(now)) {
                due.add(joined.beginLook(now));
            }
        }
        return due;
    }

    /** The row is there. Returns false if that was told already, or is said of another event with the same id. */
    synchronized boolean found(JoinedEvent joined) {
        boolean first = !joined.isSettled();
        joined.settle();
        remove(joined);
        return first;
    }

    /** There is no row, and nobody looks for it any more. */
    synchronized void forget(JoinedEvent joined) {
        remove(joined);
    }

    private void remove(@Nullable JoinedEvent joined) {
        if (joined != null && events.remove(joined.eventId(), joined)) {
            bytes -= joined.event.sizeInMemory();
            empty = events.isEmpty();
        }
    }

    /** How long until something is due, in nanoseconds; -1 if there is nothing to look for. */
    synchronized long untilNextLook(long now) {
        long next = -1;
        for (JoinedEvent joined : events.values()) {
            long wait = Math.max(0, joined.nextLook() - now);
            next = next < 0 ? wait : Math.min(next, wait);
        }
        return next;
    }

    synchronized int size() {
        return events.size();
    }
}
