package outbox.dispatch;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import outbox.poller.PollTrigger;

/**
 * Asks the pollers of a dispatcher for a poll before their interval has passed: when the hot queue has refused an event, when a retry or a
 * delayed event falls due, when there is room again after a poller found none, and when the events of a poll without locks have ended.
 *
 * <p>Each wish is noted first and the state looked at afterwards, and whoever changes the state looks at the wishes afterwards, so
 * none is overlooked.
 */
final class PollRequests {

    private static final int MOST_DUE_TIMES = 10_000;
    private static final long DUE_TIME_GRAIN_MS = 10;

    private final List<PollTrigger> pollers = new CopyOnWriteArrayList<>();
    private final AtomicInteger wantedRoom = new AtomicInteger();
    private final AtomicBoolean wantedEnd = new AtomicBoolean();
    private final AtomicLong coldEntered = new AtomicLong();
    private final AtomicLong coldLeft = new AtomicLong();
    private final IntSupplier room;
    private final IntSupplier mostRoom;
    private final Clock clock;

    /**
     * When the delayed events that were written in this process fall due. Pollers are asked for the first of these times only, and for the
     * next one when that has come: there may be a million of them. What was not noted is found by the polls that come anyway.
     */
    private final NavigableSet<Instant> dueTimes = new TreeSet<>();

    private @Nullable Instant asked;

    /**
     * @param room how many events could be taken now
     * @param mostRoom how many could be if none waited
     */
    PollRequests(IntSupplier room, IntSupplier mostRoom, Clock clock) {
        this.room = room;
        this.mostRoom = mostRoom;
        this.clock = clock;
    }

    void add(PollTrigger poller) {
        pollers.add(poller);
    }

    /** Under overload many events are refused one after the other; a request for a time, unlike one for now, is shared by them. */
    void hotRefused() {
        pollAt(clock.instant());
    }

    void pollAt(Instant due) {
        pollers.forEach(poller -> poller.pollAt(due));
    }

    void pollAfter(Duration delay) {
        pollAt(clock.instant().plus(delay));
    }

    void pollWhenRoomFor(int events) {
        wantedRoom.set(events);
        roomChanged();
    }

    void pollWhenColdEnded() {
        wantedEnd.set(true);
        pollIfColdEnded();
    }

    /** An event has left the cold queue. */
    void roomChanged() {
        int wanted = wantedRoom.get();
        if (wanted > 0 && isRoomFor(wanted) && wantedRoom.compareAndSet(wanted, 0)) {
            pollNow();
        }
    }

    /** Half of the cold queue is the most room that is waited for, so that workers have something to do while the poller reads on. */
    private boolean isRoomFor(int events) {
        int largestWish = Math.max(1, mostRoom.getAsInt() / 2);
        return room.getAsInt() >= Math.min(events, largestWish);
    }

    /** How many events have come from pollers so far. */
    long coldEntered() {
        return coldEntered.get();
    }

    /** An event that a poller brought is about to be queued. */
    void coldEnters() {
        coldEntered.incrementAndGet();
    }

    /** An event that a poller brought is no longer in flight. */
    void coldLeft() {
        coldLeft.incrementAndGet();
        pollIfColdEnded();
    }

    private void pollIfColdEnded() {
        if (wantedEnd.get() && coldLeft.get() == coldEntered.get() && wantedEnd.compareAndSet(true, false)) {
            pollNow();
        }
    }

    private void pollNow() {
        pollers.forEach(PollTrigger::pollNow);
    }

    /** An event was written that is to be delivered after the given time from now. */
    void delayed(Duration delay) {
        delayedUntil(clock.instant().plus(delay));
    }

    /** An event was written that is not to be delivered before the given time. */
    void delayedUntil(Instant due) {
        synchronized (dueTimes) {
            dueTimes.add(roundedUp(due));
            if (dueTimes.size() > MOST_DUE_TIMES) {
                dueTimes.pollLast();
            }
            askForFirst();
        }
    }

    /** A poll begins, which finds what has fallen due by now. */
    void pollStarting() {
        synchronized (dueTimes) {
            dueTimes.headSet(clock.instant(), true).clear();
            askForFirst();
        }
    }

    private void askForFirst() {
        if (!dueTimes.isEmpty() && !dueTimes.first().equals(asked)) {
            asked = dueTimes.first();
            pollAt(asked);
        }
    }

    private static Instant roundedUp(Instant due) {
        return Instant.ofEpochMilli((Math.floorDiv(due.toEpochMilli(), DUE_TIME_GRAIN_MS) + 1) * DUE_TIME_GRAIN_MS);
    }

    /** The time by which events are due. */
    Instant now() {
        return clock.instant();
    }
}
