package outbox;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.payload.PayloadTransforms;
import outbox.spi.OutboxStore;

/** Has another hook insert what a transformer makes of the events. Everything else is told of them as they were written. */
record TransformingHook(WriterHook hook, PayloadTransforms transforms) implements WriterHook {

    static WriterHook around(WriterHook hook, PayloadTransforms transforms) {
        return transforms == PayloadTransforms.NONE ? hook : new TransformingHook(hook, transforms);
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return hook.beforeWrite(events);
    }

    @Override
    public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        transforms.requireStore(store);
        hook.insert(store, conn, transforms.store(events).of(events));
    }

    @Override
    public List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        transforms.requireStore(store);
        return hook.insertOnce(store, conn, transforms.store(events).of(events), policy);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        hook.afterWrite(events);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        hook.afterCommit(events);
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        hook.afterRollback(events);
    }

    @Override
    public void afterUnknown(List<EventEnvelope> events) {
        hook.afterUnknown(events);
    }
}
