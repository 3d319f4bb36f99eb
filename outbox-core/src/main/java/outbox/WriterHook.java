package outbox;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.payload.PayloadTransforms;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;
import outbox.spi.PayloadTransformer;

/**
 * Follows a batch of events through the life of the business transaction:
 * {@code beforeWrite} → insert → {@code afterWrite} → {@code afterCommit}, {@code afterRollback} or {@code afterUnknown}.
 *
 * <p>Only {@code beforeWrite} may fail the write; what the other methods throw is logged and goes no further.
 */
public interface WriterHook {

    /** Does nothing; with it the writer registers no callback at all. */
    WriterHook NOOP = new WriterHook() {};

    /**
     * Counts committed events with {@link outbox.spi.EventMetrics#eventWritten}, for a writer without a dispatcher; {@link
     * outbox.dispatch.DispatcherWriterHook} does so itself. {@link #NOOP} if the exporter is {@link MetricsExporter#NOOP}.
     */
    static WriterHook counting(MetricsExporter metrics) {
        return CountingHook.of(metrics);
    }

    /** Puts what the providers say into the headers of what is written, for a writer that was not made by an {@link OutboxBuilder}. */
    static WriterHook withHeaders(List<HeaderProvider> providers, WriterHook next) {
        return WriterHooks.of(List.of(new HeadersHook(providers)), next);
    }

    /**
     * Inserts payloads as a transformer makes them, for a writer without a dispatcher; {@link outbox.dispatch.DispatcherWriterHook} does so itself
     * with the transformer of its dispatcher.
     */
    static WriterHook transforming(PayloadTransformer transformer) {
        return TransformingHook.around(NOOP, PayloadTransforms.of(transformer));
    }

    /**
     * May replace the events that are about to be inserted. Null or an empty list suppresses the write. An exception
     * propagates to the caller and nothing is inserted.
     */
    default @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return events;
    }

    /**
     * Inserts the events in the connection's transaction. An exception propagates to the caller. By default
     * {@link OutboxStore#insertBatch}; {@link outbox.dispatch.DispatcherWriterHook} leases them to this process in the same statement
     * if the table is shared.
     */
    default void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        store.insertBatch(conn, events);
    }

    /**
     * Inserts those events whose ids are not in the table yet, in the connection's transaction, and returns a receipt for each event. An
     * exception propagates to the caller. By default {@link OutboxStore#insertOnce}. The methods below are told only about events that
     * were inserted.
     */
    default List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return store.insertOnce(conn, events, policy);
    }

    /** Called after the insert, still inside the transaction. */
    default void afterWrite(List<EventEnvelope> events) {}

    /** Called once per batch after the transaction has committed. */
    default void afterCommit(List<EventEnvelope> events) {}

    /** Called once per batch after the transaction was rolled back or ended in an unknown state. */
    default void afterRollback(List<EventEnvelope> events) {}

    /**
     * Called instead of {@link #afterRollback} if it is certain that nobody knows whether the transaction was committed; by default does what that does. If
     * an outbox finds events of it in the table later on, a hook of its builder is told so with {@link #afterCommit}.
     */
    default void afterUnknown(List<EventEnvelope> events) {
        afterRollback(events);
    }
}
