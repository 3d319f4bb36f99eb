package outbox.inbox;

import java.util.List;
import outbox.EventEnvelope;

/** Handles events that may arrive more than once, exactly once in effect. Thread-safe. */
public interface EventHandlerTemplate {

    /**
     * Handles the event unless the group has handled it before or somebody is handling it. The handler's database work and the record of
     * its success are committed together; a failure is recorded after the work was rolled back, and then thrown.
     *
     * @param consumerGroup who consumes; each group handles the event once
     * @return what happened to it; if {@link ConsumeResult#inProgress()}, the event has to be delivered again
     * @throws EventConsumeConflictException if the group knows the id as an event of another type
     * @throws EventConsumeFailedException if the handler threw a checked exception, which is the cause, or another consumer's attempt,
     *     which this call waited for, failed
     * @throws ConsumeLeaseLostException if another consumer has taken over the event; the work was rolled back
     * @throws IllegalStateException if a transaction is active on this thread
     */
    ConsumeResult consume(String consumerGroup, EventEnvelope event, EventHandler handler, ConsumeOptions options);

    /** Handles the event with {@linkplain ConsumeOptions#defaults() default options}. */
    default ConsumeResult consume(String consumerGroup, EventEnvelope event, EventHandler handler) {
        return consume(consumerGroup, event, handler, ConsumeOptions.defaults());
    }

    /**
     * Handles several events in one transaction with one commit, as {@link Acquisition#TRANSACTION}. If one fails, its failure is
     * recorded, and the others are handled without it. A handler may be called again for an event whose transaction failed because of
     * another one, after everything that it did was rolled back. A failed event makes this method throw nothing; see the results.
     *
     * @return a result for each event, in the same order
     * @throws IllegalStateException if a transaction is active on this thread
     */
    List<ConsumeResult> consumeAll(
            String consumerGroup, List<EventEnvelope> events, EventHandler handler, ConsumeOptions options);

    /**
     * As {@link #consumeAll}, but the handler gets all events that must be handled at once, so that it can do its database work with as
     * few statements as for a single event. If it fails, it is called again with each half of them until the one that it cannot handle is
     * alone; only that one's failure is recorded. By default it is called for each event.
     *
     * @return a result for each event, in the same order
     * @throws IllegalStateException if a transaction is active on this thread
     */
    default List<ConsumeResult> consumeBatch(
            String consumerGroup, List<EventEnvelope> events, BatchEventHandler handler, ConsumeOptions options) {
        return consumeAll(consumerGroup, events, handler.oneByOne(), options);
    }
}
