package outbox.inbox;

import outbox.spi.ConsumeMetrics;

/** What to answer for events that were not acquired. */
final class Refusals {

    private final OutcomeWatch watch;
    private final ConsumeMetrics metrics;

    Refusals(OutcomeWatch watch, ConsumeMetrics metrics) {
        this.watch = watch;
        this.metrics = metrics;
    }

    ConsumeResult answer(Arrival arrival, AcquireConsumeResult refusal) {
        return switch (refusal.state()) {
            case REPLAY_SUCCEEDED -> {
                metrics.incrementReplayed(arrival.consumerGroup());
                yield ConsumeResult.REPLAYED;
            }
            case IN_PROGRESS -> {
                metrics.incrementInProgress(arrival.consumerGroup());
                yield arrival.options().waitIfInProgress()
                        ? watch.await(arrival, refusal.retryIn())
                        : ConsumeResult.inProgress(refusal.retryIn());
            }
            case CONFLICT ->
                throw new EventConsumeConflictException("The id of " + arrival
                        + " belongs to an event of another type; ids must be different for different events");
            case ACQUIRED, RETRYABLE_FAILED -> throw new IllegalArgumentException(refusal + " is not a refusal");
        };
    }
}
