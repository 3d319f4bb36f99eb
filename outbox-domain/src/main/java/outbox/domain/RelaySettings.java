package outbox.domain;

import java.time.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.RetryPolicy;
import outbox.internal.text.EventNames;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/** What all batches of a relay have in common. */
record RelaySettings(
        ConnectionProvider connections,
        OutboxStore store,
        OutboxTransport transport,
        RetryPolicy retryPolicy,
        int maxAttempts,
        Duration lease,
        CompletionMode completionMode,
        JsonCodec jsonCodec,
        UnaryOperator<String> tenantInLogs,
        MetricsExporter metrics,
        Clock clock,
        LongSupplier nanoTime) {

    /** The store, or the same that clears errors with its DONE marks. */
    static OutboxStore marked(OutboxStore store, boolean clearsErrors) {
        try {
            return clearsErrors ? store.clearingErrors() : store;
        } catch (UnsupportedOperationException e) {
            throw new IllegalArgumentException(
                    "clearErrorWhenDone needs a store that clears errors, but "
                            + store.getClass().getName()
                            + " does not; override clearingErrors, or leave clearErrorWhenDone out",
                    e);
        }
    }

    EventNames names() {
        return new EventNames(store.tableName(), tenantInLogs);
    }

    /** Builds a poller that claims events for a round, under the given owner id. */
    OutboxPoller.Builder poller(String ownerId, RelayRound round) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(round)
                .claimLocking(ownerId, lease)
                .jsonCodec(jsonCodec)
                .tenantInLogs(tenantInLogs)
                .metrics(metrics)
                .clock(clock);
    }
}
