package outbox;

import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.FollowedEvents;
import outbox.dispatch.FollowedTransaction;
import outbox.dispatch.JoinedEvents;
import outbox.dispatch.JoinedTransaction;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.watch.PendingGate;
import outbox.model.OutboxHealth;
import outbox.spi.OutboxStore;
import outbox.spi.TransactionStarter;
import outbox.spi.TxContext;

/** Joins the transactions of others, and looks for what was written in them. */
final class JoinedWriters implements AutoCloseable {

    private final OutboxStore store;
    private final PendingGate gate;
    private final PayloadTransforms transforms;
    private final FollowedEvents followed;
    private final @Nullable JoinedEvents joined;

    /**
     * @param dispatcher null if this process delivers nothing
     * @param gate through which all that is written passes
     */
    JoinedWriters(OutboxBuilder builder, @Nullable OutboxDispatcher dispatcher, PendingGate gate) {
        this.store = builder.store;
        this.gate = gate;
        this.transforms = PayloadTransforms.of(builder.transformer);
        this.followed = new FollowedEvents(
                store, builder.connections, WriterHooks.of(builder.allHooks(), WriterHook.NOOP), builder.metrics);
        this.joined = dispatcher == null ? null : new JoinedEvents(dispatcher, store, builder.connections, followed);
    }

    JoinedWriter on(Connection connection) {
        Objects.requireNonNull(connection, "connection");
        if (joined == null) {
            FollowedTransaction transaction = followed.begin();
            return JoinedWriter.on(
                    connection, writing(TransformingHook.around(transaction, transforms)), transaction::ended);
        }
        JoinedTransaction transaction = joined.begin();
        return JoinedWriter.on(connection, writing(transaction), transaction::ended);
    }

    private Function<TxContext, OutboxWriter> writing(WriterHook hook) {
        return context -> new OutboxWriter(context, store, hook, gate);
    }

    JoinedWriter on(OutboxTransaction other) {
        TxContext end = other instanceof TransactionStarter.Started started ? started.context() : null;
        if (end == null) {
            return on(other.connection());
        }
        if (!end.isTransactionActive() || end.currentConnection() != other.connection()) {
            throw new IllegalStateException("The transaction to join has ended, or was begun by another thread;"
                    + " call on(transaction) inside of it, on its own thread");
        }
        JoinedWriter writer = on(other.connection());
        writer.follow(end);
        return writer;
    }

    OutboxHealth health() {
        return joined == null ? followed.health() : joined.health().and(followed.health());
    }

    @Override
    public void close() {
        CloseInOrder.close(joined == null ? List.of(followed) : List.of(joined, followed));
    }
}
