package outbox.inbox;

import outbox.spi.ConsumeMetrics;

/** What every way of consuming needs. */
record ConsumeParts(
        EventDedupRepository repository,
        ConsumeTransactions transactions,
        FailureRecorder failures,
        HandlerCall handlers,
        ConsumeMetrics metrics) {

    ConsumeParts(EventDedupRepository repository, ConsumeTransactions transactions, ConsumeMetrics metrics) {
        this(repository, transactions, new FailureRecorder(repository, metrics), new HandlerCall(metrics), metrics);
    }
}
