package outbox.poller;

import java.time.Duration;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.MetricsExporter;

/**
 * Takes the events that a poller found. Called by one thread at a time.
 *
 * <p>A handler that feeds an {@link outbox.dispatch.OutboxDispatcher} is {@link outbox.dispatch.DispatcherPollerHandler}; one of
 * your own that wraps it must pass on all methods.
 */
@FunctionalInterface
public interface OutboxPollerHandler {

    /**
     * Takes one event.
     *
     * @param attempts how many deliveries have failed so far
     * @return false if there is no room; the poller then stops this round, and offers the event again in a later one
     */
    boolean handle(EventEnvelope event, int attempts);

    /**
     * Whether events of one aggregate must come one after another, in the order of their inserts. Then they come through
     * {@link #handleAfter}. By default not.
     */
    default boolean isOrdered() {
        return false;
    }

    /**
     * Takes one event of an ordered claim, whose events come in order.
     *
     * @param ahead the ids of unfinished events of the same aggregate that were given to this handler before, and after whose end the
     *     event may be delivered
     * @return as {@link #handle}
     */
    default boolean handleAfter(Collection<String> ahead, EventEnvelope event, int attempts) {
        return handle(event, attempts);
    }

    /**
     * Asked by a poller of ordered events for one that cannot be read: whether later events of its aggregate must wait for a person once it
     * is DEAD. By default not.
     */
    default boolean holdsKeyWhenDead(OutboxEvent event) {
        return false;
    }

    /**
     * Called once, by the poller that uses this handler, with the exporter that it was given.
     *
     * @return whether the handler itself counts there what it queues, which it knows best; by default not, and the poller counts each event
     *     that the handler takes
     */
    default boolean countsEnqueued(MetricsExporter metrics) {
        return false;
    }

    /** How many events could be taken now; the poller fetches no more than that. */
    default int availableCapacity() {
        return Integer.MAX_VALUE;
    }

    /** Called before the table is read. */
    default void pollStarting() {}

    /** Called when everything that was read has been handed over or given back, also after a failure. */
    default void pollFinished() {}

    /** Called when a poll has run out of memory: rows are larger than they were. By default does nothing; the poller reads less by itself. */
    default void rowsDidNotFit() {}

    /**
     * Called once, by a poller with claim locking. A handler that keeps track of leases, as that of the dispatcher does, may have a name
     * already.
     *
     * @param ownerId under which the poller means to claim events
     * @param timeout after which a lease that is not renewed has expired
     * @return the id under which the poller must claim; by default the given one
     */
    default String claimsAs(String ownerId, Duration timeout) {
        return ownerId;
    }

    /** Called once, by a poller of which only one is active at a time: events must be delivered only while this is true. */
    default void deliverOnlyWhile(BooleanSupplier active) {}

    /** Called once, by the poller that uses this handler, with a way to ask for a poll before its interval has passed. */
    default void connect(PollTrigger trigger) {}

    /**
     * Called when more may be waiting in the table. The handler asks for a poll when it can take that many events, or fewer if it
     * never can; at once if it can now. By default does nothing: the poller goes on after its interval.
     */
    default void pollWhenRoomFor(int events) {}

    /**
     * Called instead when events were polled without locks and the table would yield the same ones again. The handler asks for a poll
     * when those that it took have ended. By default does nothing: the poller goes on after its interval.
     */
    default void pollWhenEnded() {}
}
