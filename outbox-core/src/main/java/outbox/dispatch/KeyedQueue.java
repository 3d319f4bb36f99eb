package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/**
 * The way into the queues. With order, of each key only the first event goes there; the others wait in their lane until it has ended, and
 * are given back if it has not ended as it should: then somebody else may be the one who goes on with the key. Without order no event has
 * a key here, and all go straight to the queues.
 */
final class KeyedQueue {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final boolean ordered;
    private final FairEventQueue queue;
    private final Lanes lanes = new Lanes();
    private final Returns returns;
    private final Runnable someoneWaits;
    private final Runnable followersLeft;

    /**
     * @param someoneWaits called when events wait for the end of another one, so that it is recorded without delay
     * @param followersLeft called when events have left that waited behind another one
     */
    KeyedQueue(
            Ordering ordering, FairEventQueue queue, Returns returns, Runnable someoneWaits, Runnable followersLeft) {
        this.ordered = ordering == Ordering.PER_AGGREGATE;
        this.queue = queue;
        this.returns = returns;
        this.someoneWaits = someoneWaits;
        this.followersLeft = followersLeft;
    }

    /** Whether events of one aggregate come one after another. */
    boolean isOrdered() {
        return ordered;
    }

    /** For tests. */
    Lanes lanes() {
        return lanes;
    }

    boolean isClosed() {
        return queue.isClosed();
    }

    /** Which events have ended a moment ago and which of them must end before an event; see {@link Lanes#join}. */
    record Before(Collection<String> ahead, Predicate<String> hasEnded, Runnable allAhead) {

        static final Before NOTHING = new Before(Set.of(), id -> false, () -> {});
    }

    /** Takes an event; false if there is no room or this is closed. */
    boolean offer(Source source, QueuedEvent event, Before before) {
        AggregateKey key =
                keyOf(event.envelope().aggregateType(), event.envelope().aggregateId());
        if (key == null) {
            return queue.offer(source, event);
        }
        if (room(source) <= 0 || !fits(source, event)) {
            return false;
        }
        Lanes.Place place = lanes.join(key, event, before.ahead, before.hasEnded);
        if (place.behindAll()) {
            before.allAhead.run();
        }
        if (!place.first()) {
            someoneWaits.run();
            return true;
        }
        boolean queued = false;
        try {
            queued = queue.offer(source, event);
        } finally {
            if (!queued) {
                broke(key, event.envelope().eventId());
            }
        }
        return queued;
    }

    /** Whether other events may have to wait for this one. */
    boolean hasKey(QueuedEvent event) {
        return keyOf(event.envelope().aggregateType(), event.envelope().aggregateId()) != null;
    }

    /** How many more events can be taken; 0 once this is closed. */
    int room(Source source) {
        int free = source == Source.HOT ? queue.hotRemainingCapacity() : queue.coldRemainingCapacity();
        return ordered ? Math.max(0, free - lanes.waiting(source)) : free;
    }

    private boolean fits(Source source, QueuedEvent event) {
        return event.envelope().sizeInMemory() <= bytesLeft(source) || depth(source) == 0;
    }

    /** How many bytes more the events may take. If there are none yet, one that takes more is taken all the same. */
    long bytesLeft(Source source) {
        long left = queue.bytesLeft(source);
        return ordered ? left - lanes.waitingBytes(source) : left;
    }

    int depth(Source source) {
        int queued = source == Source.HOT ? queue.hotDepth() : queue.coldDepth();
        return ordered ? queued + lanes.waiting(source) : queued;
    }

    /** The delivery of the event has ended and is about to be recorded. */
    void delivered(QueuedEvent event) {
        AggregateKey key =
                keyOf(event.envelope().aggregateType(), event.envelope().aggregateId());
        if (key != null && lanes.hasFollowers(key)) {
            someoneWaits.run();
        }
    }

    /** The event has ended and the next one of its key may go on. */
    void ended(Completion completion) {
        AggregateKey key = keyOf(completion.aggregateType(), completion.aggregateId());
        if (key == null) {
            return;
        }
        QueuedEvent next = lanes.advance(key, completion.eventId());
        if (next == null) {
            return;
        }
        if (!queue.resume(next)) {
            String eventId = next.envelope().eventId();
            broke(key, eventId);
            returns.giveBack(eventId, next.source());
        }
    }

    /** The event has not ended, or not so that others of its key may follow. To be said before anybody can bring it here again. */
    void broke(Completion completion) {
        broke(keyOf(completion.aggregateType(), completion.aggregateId()), completion.eventId());
    }

    /** As {@link #broke(Completion)}, for an event without an outcome. */
    void broke(QueuedEvent event) {
        broke(
                keyOf(event.envelope().aggregateType(), event.envelope().aggregateId()),
                event.envelope().eventId());
    }

    /** As {@link #broke(QueuedEvent)}, but nothing escapes: one of many must not keep the others. */
    void brokeQuietly(QueuedEvent event) {
        try {
            broke(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot give back those that wait behind an event", LoggedError.of(e));
        }
    }

    private void broke(@Nullable AggregateKey key, String eventId) {
        if (key == null) {
            return;
        }
        Collection<QueuedEvent> followers = lanes.breakUp(key, eventId);
        for (QueuedEvent follower : followers) {
            returns.giveBackQuietly(follower.envelope().eventId(), follower.source());
        }
        if (!followers.isEmpty()) {
            followersLeft.run();
        }
    }

    private @Nullable AggregateKey keyOf(String aggregateType, @Nullable String aggregateId) {
        return ordered ? AggregateKey.of(aggregateType, aggregateId) : null;
    }
}
