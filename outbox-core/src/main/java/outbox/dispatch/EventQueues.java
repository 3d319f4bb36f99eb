package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.outcome.Completion;
import outbox.internal.queue.Elements;
import outbox.internal.queue.FairQueue;
import outbox.internal.queue.Lanes;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * What waits for a worker. With order, of each key only the first event is in the queues; the others wait in their lane until it has ended,
 * and are given back if it has not ended as it should: then somebody else may be the one who goes on with the key. Without order no event
 * has a key here, and all go straight to the queues. Thread-safe.
 */
final class EventQueues {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    /** By which part the assumed size of a row shrinks with each poll whose rows were all smaller. */
    private static final int SHRINKS_BY = 8;

    private final boolean ordered;
    private final FlowSettings settings;
    private final FairQueue<QueuedEvent> queue;
    private final Lanes<AggregateKey, QueuedEvent> lanes = new Lanes<>(AsElements.INSTANCE);
    private final WaitingAtGates atGates = new WaitingAtGates();
    private final KeysLeft keysLeft;
    private final QueuesOwner owner;
    private final MetricsExporter metrics;
    private final AtomicInteger changes = new AtomicInteger();

    /** As large as the largest row that came lately, and the worst before any has come. */
    private final AtomicLong rowBytes = new AtomicLong(EventEnvelope.MAX_PAYLOAD_BYTES);

    /** @param metrics hears how much waits; never throws, or nobody would ever report again */
    EventQueues(FlowSettings settings, MetricsExporter metrics, QueuesOwner owner) {
        this.settings = settings;
        this.ordered = settings.ordering() == Ordering.PER_AGGREGATE;
        this.owner = owner;
        this.keysLeft = new KeysLeft(lanes::length, owner::moreInTable);
        this.metrics = metrics;
        this.queue = new FairQueue<>(
                AsElements.INSTANCE, settings.hotCapacity(), settings.coldCapacity(), settings.bytesEach());
    }

    /** How queues see events. */
    private enum AsElements implements Elements<QueuedEvent> {
        INSTANCE;

        @Override
        public String idOf(QueuedEvent event) {
            return event.envelope().eventId();
        }

        @Override
        public boolean isHot(QueuedEvent event) {
            return event.source() == Source.HOT;
        }

        @Override
        public long sizeOf(QueuedEvent event) {
            return event.envelope().sizeInMemory();
        }
    }

    /** An event that was taken waits for its listener to have time: it counts as if it were still queued. */
    void waitsAtGate(QueuedEvent event) {
        atGates.comes(event);
        depthsChanged();
    }

    /** An event does not wait for its listener any more; this may be said before the opposite. */
    void leavesGate(QueuedEvent event) {
        atGates.goes(event);
        depthsChanged();
    }

    /** Puts an event back that had been taken; false if this is closed. */
    boolean resume(QueuedEvent event) {
        return queue.resume(event);
    }

    /** For tests. */
    FairQueue<QueuedEvent> queue() {
        return queue;
    }

    /** The events of each key that are here. */
    Lanes<AggregateKey, QueuedEvent> lanes() {
        return lanes;
    }

    /** As many events as may wait after their commit, and half as many bytes. */
    JoinedList newJoinedList() {
        return new JoinedList(settings.hotCapacity(), settings.bytesEach() / 2);
    }

    /** Whether events of one aggregate come one after another. */
    boolean isOrdered() {
        return ordered;
    }

    /** Which events have ended a moment ago and which of them must end before an event; see {@link Lanes#join}. */
    record Before(Collection<String> ahead, Predicate<String> hasEnded, Runnable allAhead) {

        static final Before NOTHING = new Before(Set.of(), id -> false, () -> {});
    }

    /** Takes an event; false if there is no room or this is closed. */
    boolean offer(QueuedEvent event, Before before) {
        AggregateKey key = keyOf(event);
        boolean taken = key == null ? queue.offer(event) : joinLane(key, event, before);
        if (taken) {
            depthsChanged();
        }
        return taken;
    }

    private boolean joinLane(AggregateKey key, QueuedEvent event, Before before) {
        if (room(event.source()) <= 0 || !fits(event)) {
            return false;
        }
        Lanes.Place place = lanes.join(key, event, before.ahead, before.hasEnded);
        if (place.behindAll()) {
            before.allAhead.run();
        }
        if (!place.first()) {
            owner.someoneWaits();
            return true;
        }
        boolean queued = false;
        try {
            queued = queue.offer(event);
        } finally {
            if (!queued) {
                breakUp(key, event.envelope().eventId());
            }
        }
        return queued;
    }

    /** Waits for an event; null once this is closed and empty. */
    @Nullable
    QueuedEvent take() throws InterruptedException {
        QueuedEvent event = queue.take();
        if (event != null) {
            depthsChanged();
        }
        return event;
    }

    /** From now on nothing comes in; what waits can still be taken. */
    void close() {
        queue.close();
    }

    boolean isClosed() {
        return queue.isClosed();
    }

    /** Takes out all that waits, and hands each event on; those behind it in its lane are given back. */
    int drainTo(Consumer<QueuedEvent> each) {
        List<QueuedEvent> left = queue.drain();
        for (QueuedEvent event : left) {
            breakUpQuietly(event);
            each.accept(event);
        }
        depthsChanged();
        return left.size();
    }

    /** Whether other events may have to wait for this one. */
    boolean hasKey(QueuedEvent event) {
        return keyOf(event) != null;
    }

    private FairQueue<QueuedEvent>.Half half(Source source) {
        return source == Source.HOT ? queue.hot() : queue.cold();
    }

    /**
     * How many more events can be taken; 0 once this is closed. Those that wait behind others do not count: no key has more than a few of
     * them here, what they take in memory is limited, and one slow key must not keep all others out.
     */
    int room(Source source) {
        return Math.max(0, half(source).room() - atGates.count(source));
    }

    /** Of which keys events wait in the table because enough of them are here. */
    KeysLeft keysLeft() {
        return keysLeft;
    }

    /** How many bytes more the events may take. If there are none yet, one that takes more is taken all the same. */
    long bytesLeft(Source source) {
        long left = half(source).bytesLeft() - atGates.bytes(source);
        return ordered ? left - lanes.waitingBytes(source == Source.HOT) : left;
    }

    int depth(Source source) {
        int queued = half(source).size() + atGates.count(source);
        return ordered ? queued + lanes.waiting(source == Source.HOT) : queued;
    }

    private boolean fits(QueuedEvent event) {
        return event.envelope().sizeInMemory() <= bytesLeft(event.source()) || depth(event.source()) == 0;
    }

    /** How many rows may be read from the table: as many as there is room for if all are as large as the largest one lately. */
    int claimable() {
        long fitting = bytesLeft(Source.COLD) / rowBytes.get();
        // With an empty queue one row is always read, however large: otherwise it would never be.
        boolean evenOne = fitting < 1 && depth(Source.COLD) == 0;
        return (int) Math.min(room(Source.COLD), evenOne ? 1 : Math.max(0, fitting));
    }

    /** As {@link #claimable()}, if nothing waited. */
    int mostClaimable() {
        return (int) Math.min(settings.coldCapacity(), settings.bytesEach() / rowBytes.get());
    }

    /** Says how much memory the largest row of a poll took. A larger one than before counts at once, and is forgotten slowly. */
    void rowsWereUpTo(long bytes) {
        rowBytes.updateAndGet(before -> Math.max(bytes, before - before / SHRINKS_BY));
    }

    /** The delivery of the event has ended and is about to be recorded. */
    void delivered(Completion completion) {
        AggregateKey key = keyOf(completion.aggregateType(), completion.aggregateId());
        if (key != null && lanes.hasFollowers(key)) {
            owner.someoneWaits();
        }
    }

    /** The event has ended and the next one of its key may go on. */
    void ended(Completion completion) {
        AggregateKey key = keyOf(completion.aggregateType(), completion.aggregateId());
        QueuedEvent next = key == null ? null : lanes.advance(key, completion.eventId());
        if (key != null && next != null && !queue.resume(next)) {
            breakUp(key, next.envelope().eventId());
            owner.giveBack(next);
        }
        if (key != null) {
            keysLeft.lengthChanged(key);
        }
    }

    /** The event has not ended, or not so that others of its key may follow. To be said before anybody can bring it here again. */
    void broke(Completion completion) {
        breakUp(keyOf(completion.aggregateType(), completion.aggregateId()), completion.eventId());
    }

    /** As {@link #broke(Completion)}, for an event without an outcome. */
    void broke(QueuedEvent event) {
        breakUp(keyOf(event), event.envelope().eventId());
    }

    /** As {@link #broke(QueuedEvent)}, but nothing escapes: one of many must not keep the others. */
    private void breakUpQuietly(QueuedEvent event) {
        try {
            broke(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot give back those that wait behind an event", LoggedError.of(e));
        }
    }

    private void breakUp(@Nullable AggregateKey key, String eventId) {
        if (key == null) {
            return;
        }
        Collection<QueuedEvent> followers = lanes.breakUp(key, eventId);
        followers.forEach(owner::giveBack);
        if (!followers.isEmpty()) {
            depthsChanged();
            owner.moreInTable();
        }
    }

    private @Nullable AggregateKey keyOf(QueuedEvent event) {
        return keyOf(event.envelope().aggregateType(), event.envelope().aggregateId());
    }

    private @Nullable AggregateKey keyOf(String aggregateType, @Nullable String aggregateId) {
        return ordered ? AggregateKey.of(aggregateType, aggregateId) : null;
    }

    /**
     * Reports the depths such that the last report is always the latest state. Reports from several threads could overtake each other and
     * leave a stale number standing; so one thread at a time reports, and a change that comes meanwhile makes it look again.
     */
    private void depthsChanged() {
        if (metrics == MetricsExporter.NOOP) {
            return;
        }
        if (changes.getAndIncrement() != 0) {
            return;
        }
        int seen;
        do {
            seen = changes.get();
            metrics.recordQueueDepths(depth(Source.HOT), depth(Source.COLD));
        } while (changes.addAndGet(-seen) != 0);
    }
}
