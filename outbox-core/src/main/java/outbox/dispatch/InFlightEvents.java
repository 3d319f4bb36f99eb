package outbox.dispatch;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an event from being queued while it is queued or running here, and from being queued late by someone whose knowledge
 * of it is older than its end.
 *
 * <p>The tracker alone does not suffice, because two others may come after an event has ended and been released, and would have it
 * delivered a second time although nothing went wrong:
 *
 * <ul>
 *   <li>A poll reads rows, then hands them over one by one; an event that was running when its row was read may be done when its
 *       turn comes. So each poll opens a window that collects what ends while it is under way, and what is in its window is not
 *       taken from it.
 *   <li>A writer's thread may be held up between its commit and its call to the hot queue; meanwhile the poller may have found
 *       and delivered the event. So events are announced before they are committed, and one that ends while it is announced is
 *       not taken from the writer.
 * </ul>
 *
 * <p>Order matters: the end of an event is noted before it is released, and looked up after it was acquired, so there is no moment
 * in between.
 */
final class InFlightEvents {

    private final InFlightTracker tracker;
    private final List<PollWindow> windows = new CopyOnWriteArrayList<>();

    /** The events of transactions that are under way or just committed. */
    private final ConcurrentMap<String, Announced> announced = new ConcurrentHashMap<>();

    private final AtomicLong announcedBytes = new AtomicLong();

    /**
     * An event that is about to come.
     *
     * @param bytes what it takes in memory
     * @param ended whether it has ended already
     */
    private record Announced(long bytes, boolean ended) {}

    InFlightEvents(InFlightTracker tracker) {
        this.tracker = tracker;
    }

    PollWindow openWindow() {
        PollWindow window = new PollWindow();
        windows.add(window);
        return window;
    }

    void closeWindow(PollWindow window) {
        windows.remove(window);
    }

    /** Says that the event is about to be committed and will come through {@link #tryAcquireCommitted} or be withdrawn. */
    void announce(String eventId, long bytes) {
        announcedBytes.addAndGet(bytes);
        subtract(announced.put(eventId, new Announced(bytes, false)));
    }

    /** Says that an announced event will not come: its transaction was rolled back. */
    void withdraw(String eventId) {
        subtract(announced.remove(eventId));
    }

    private boolean subtract(@Nullable Announced event) {
        if (event == null) {
            return false;
        }
        announcedBytes.addAndGet(-event.bytes);
        return event.ended;
    }

    /** How many events are announced and have neither come nor been withdrawn. */
    int announcedCount() {
        return announced.size();
    }

    /** What these events take in memory. */
    long announcedBytes() {
        return announcedBytes.get();
    }

    boolean tryAcquire(String eventId) {
        return tracker.tryAcquire(eventId);
    }

    /** As {@link #tryAcquire(String)}, for a row that was read after the window had been opened. */
    boolean tryAcquire(QueuedEvent row, PollWindow window) {
        String eventId = row.envelope().eventId();
        boolean acquired = tracker.tryAcquire(eventId) && !releaseIf(window.isStale(row), eventId);
        if (acquired) {
            window.entered();
        }
        return acquired;
    }

    /** As {@link #tryAcquire(String)}, for an event that was announced before its commit. */
    boolean tryAcquireCommitted(String eventId) {
        boolean acquired = tracker.tryAcquire(eventId);
        boolean ended = subtract(announced.remove(eventId));
        return acquired && !releaseIf(ended, eventId);
    }

    private boolean releaseIf(boolean ended, String eventId) {
        if (ended) {
            tracker.release(eventId);
        }
        return ended;
    }

    /** Frees an event that was acquired but not queued, or whose outcome could not be recorded: it may come again at once. */
    void release(String eventId) {
        tracker.release(eventId);
    }

    /** As {@link #ended}, for an event that will not be delivered again. */
    void finished(String eventId, int attempts) {
        windows.forEach(window -> window.addFinished(eventId));
        ended(eventId, attempts);
    }

    /** Frees an event whose delivery has ended and whose outcome is recorded. */
    void ended(String eventId, int attempts) {
        announced.computeIfPresent(eventId, (id, event) -> new Announced(event.bytes, true));
        for (PollWindow window : windows) {
            window.add(eventId, attempts);
        }
        tracker.release(eventId);
    }
}
