package outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.EventQueues.Before;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.lease.LeaseBook;
import outbox.internal.outcome.Completion;
import outbox.spi.EventMetrics.Path;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.MetricsExporter;

/**
 * How events come in: as far as there is room, and once each. An event is not queued while it is queued or running here, nor late by
 * someone whose knowledge of it is older than its end. Thread-safe.
 *
 * <p>The tracker alone does not suffice, because two others may come after an event has ended and been released, and would have it
 * delivered a second time although nothing went wrong:
 *
 * <ul>
 *   <li>A poll reads rows, then hands them over one by one; an event that was running when its row was read may be done when its
 *       turn comes. So each poll collects what ends while it is under way, and what has ended since is not taken from it.
 *   <li>A writer's thread may be held up between its commit and its call to the hot queue; meanwhile the poller may have found
 *       and delivered the event. So events are announced before they are committed, and one that ends while it is announced is
 *       not taken from the writer.
 * </ul>
 *
 * <p>Order matters: the end of an event is noted before it is released, and looked up after it was acquired, so there is no moment
 * in between.
 */
final class Intake {

    private final InFlightTracker tracker;
    private final EventQueues queues;
    private final LeaseBook leases;
    private final PollRequests pollRequests;
    private final MetricsExporter metrics;
    private final List<PollPass> polls = new CopyOnWriteArrayList<>();

    /** The events of transactions that are under way or just committed. */
    private final ConcurrentMap<String, Announced> announced = new ConcurrentHashMap<>();

    private final AtomicLong announcedBytes = new AtomicLong();
    private final KeyShares shares;

    /** When hot events were committed, by the clock of the leases, until they are released; empty if nobody asks. */
    private final ConcurrentMap<String, Long> committedAt = new ConcurrentHashMap<>();

    /**
     * An event that is about to come.
     *
     * @param bytes what it takes in memory
     * @param ended whether it has ended already
     */
    private record Announced(long bytes, boolean ended) {}

    Intake(
            InFlightTracker tracker,
            EventQueues queues,
            LeaseBook leases,
            PollRequests pollRequests,
            MetricsExporter metrics) {
        this.tracker = tracker;
        this.queues = queues;
        this.leases = leases;
        this.pollRequests = pollRequests;
        this.metrics = metrics;
        this.shares = new KeyShares(queues.lanes()::length);
    }

    /** How many events of each key may come. */
    KeyShares shares() {
        return shares;
    }

    void beginPoll(PollPass poll) {
        polls.add(poll);
    }

    void endPoll(PollPass poll) {
        polls.remove(poll);
    }

    /** How many polls are under way. */
    int openPolls() {
        return polls.size();
    }

    /** Says that the event is about to be committed and will come through {@link #hot} or be withdrawn. */
    void announce(String eventId, long bytes) {
        announcedBytes.addAndGet(bytes);
        subtract(announced.put(eventId, new Announced(bytes, false)));
    }

    /** Says that an announced event will not come: its transaction was rolled back. */
    void withdraw(String eventId) {
        subtract(announced.remove(eventId));
        shares.free(eventId);
    }

    /** Returns whether it has ended already. */
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

    /** Takes an event right after its commit; false if there is no room or the queues are closed. */
    boolean hot(QueuedEvent event) {
        String eventId = event.envelope().eventId();
        boolean taken = false;
        try {
            boolean acquired = tracker.tryAcquire(eventId);
            boolean ended = subtract(announced.remove(eventId));
            taken = isToBeQueued(acquired, ended, eventId)
                    ? queue(event.from(Source.HOT), Before.NOTHING)
                    : !queues.isClosed();
        } finally {
            shares.free(eventId); // from here on it is counted in its lane
        }
        if (!taken) {
            pollRequests.hotRefused();
        }
        return taken;
    }

    /** Takes an event that was found in the table; false if there is no room or the queues are closed. */
    boolean cold(QueuedEvent event) {
        return tracker.tryAcquire(event.envelope().eventId())
                ? queue(event.from(Source.COLD), Before.NOTHING)
                : !queues.isClosed();
    }

    /** As {@link #cold(QueuedEvent)}, for a row that was read by a poll. */
    boolean cold(QueuedEvent event, PollPass poll) {
        return acquire(event, poll) ? queue(event.from(Source.COLD), Before.NOTHING) : !queues.isClosed();
    }

    /**
     * As {@link #cold(QueuedEvent, PollPass)}, for a row that was leased by the poll. One that is on its way already is not given back, even
     * if the queues are closed: its outcome needs the lease.
     *
     * @param ahead the ids of events that must end before it
     * @param suspicion null if nothing is held against it
     */
    boolean claimed(QueuedEvent event, PollPass poll, Collection<String> ahead, @Nullable Suspicion suspicion) {
        String eventId = event.envelope().eventId();
        if (!acquire(event, poll)) {
            leases.claimedAgain(eventId, poll.startedAt());
            return true;
        }
        leases.claimed(eventId, suspicion, poll.startedAt(), ahead.isEmpty());
        leases.createdAt(eventId, event.envelope().occurredAt());
        Before before = ahead.isEmpty()
                ? Before.NOTHING
                : new Before(ahead, poll::isFinished, () -> leases.turnIsKnown(eventId));
        boolean queued = false;
        try {
            queued = queue(event.from(Source.COLD), before);
        } finally {
            if (!queued) {
                leases.forget(eventId); // the poller gives it back
            }
        }
        return queued;
    }

    private boolean acquire(QueuedEvent row, PollPass poll) {
        String eventId = row.envelope().eventId();
        boolean acquired = isToBeQueued(tracker.tryAcquire(eventId), poll.isStale(row), eventId);
        if (acquired) {
            poll.entered();
        }
        return acquired;
    }

    /** One that has ended already is acquired in vain. */
    private boolean isToBeQueued(boolean acquired, boolean ended, String eventId) {
        if (acquired && ended) {
            tracker.release(eventId);
        }
        return acquired && !ended;
    }

    private boolean queue(QueuedEvent event, Before before) {
        boolean cold = event.source() == Source.COLD;
        if (cold) {
            pollRequests.coldEnters();
        } else if (metrics != MetricsExporter.NOOP) {
            committedAt.put(event.envelope().eventId(), leases.now());
        }
        boolean queued = false;
        try {
            queued = queues.offer(event, before);
        } finally {
            if (!queued) {
                release(event.envelope().eventId(), cold);
            }
        }
        if (queued && cold) {
            metrics.incrementColdEnqueued();
        } else if (queued) {
            metrics.incrementHotEnqueued();
        }
        return queued;
    }

    /** Says that an event is about to be delivered. */
    void begins(QueuedEvent event) {
        if (event.attempts() > 0 || metrics == MetricsExporter.NOOP) {
            return;
        }
        EventEnvelope envelope = event.envelope();
        Long committed = event.source() == Source.HOT ? committedAt.get(envelope.eventId()) : null;
        if (committed != null) {
            metrics.eventStarted(envelope.eventType(), Path.HOT, Duration.ofNanos(leases.now() - committed));
        } else if (event.source() == Source.COLD) {
            Duration age = Duration.between(envelope.occurredAt(), pollRequests.now());
            metrics.eventStarted(envelope.eventType(), Path.COLD, age.isNegative() ? Duration.ZERO : age);
        }
    }

    /** For tests. */
    int commitTimesKept() {
        return committedAt.size();
    }

    /** Does something about an event unless it is on its way here, and keeps it from coming in meanwhile. */
    void unlessOnItsWay(String eventId, Consumer<String> work) {
        if (tracker.tryAcquire(eventId)) {
            try {
                work.accept(eventId);
            } finally {
                tracker.release(eventId);
            }
        }
    }

    /** Frees an event that was acquired but not queued, or whose outcome could not be recorded: it may come again at once. */
    void release(String eventId, boolean cold) {
        try {
            tracker.release(eventId);
        } finally {
            if (cold) {
                pollRequests.coldLeft();
            } else {
                committedAt.remove(eventId);
            }
        }
    }

    /**
     * Frees an event whose delivery has ended and whose outcome is recorded.
     *
     * @param last whether it will not be delivered again
     */
    void ended(Completion completion, boolean last) {
        String eventId = completion.eventId();
        announced.computeIfPresent(eventId, (id, event) -> new Announced(event.bytes, true));
        for (PollPass poll : polls) {
            if (last) {
                poll.finished(eventId);
            }
            poll.ended(eventId, completion.attempts());
        }
        release(eventId, completion.cold());
    }
}
