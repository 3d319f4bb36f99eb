package outbox.internal.lease;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;

/** Shows this process in the register of nodes. Nothing depends on it, so nothing that goes wrong with it matters. */
final class NodeHeartbeat {

    private static final Logger LOG = SafeLog.of(LeaseKeeper.class);
    private static final long INTERVAL_NANOS = Duration.ofSeconds(15).toNanos();

    private final LeaseStore store;
    private final ConnectionProvider connections;
    private final LongSupplier nanoTime;
    private long nextAt;
    private boolean begun;
    private boolean failed;

    NodeHeartbeat(LeaseStore store, ConnectionProvider connections, LongSupplier nanoTime) {
        this.store = store;
        this.connections = connections;
        this.nanoTime = nanoTime;
    }

    /** Called often; does something every 15 seconds. */
    synchronized void beat(String ownerId) {
        long now = nanoTime.getAsLong();
        if (begun && now - nextAt < 0) {
            return;
        }
        begun = true;
        nextAt = now + INTERVAL_NANOS;
        attempt("shown in", ownerId, (conn, owner) -> store.heartbeat(conn, owner));
    }

    /** Takes the process out of the register. */
    synchronized void end(String ownerId) {
        if (begun) {
            attempt("taken out of", ownerId, (conn, owner) -> store.forgetNode(conn, owner));
        }
    }

    @FunctionalInterface
    private interface Change {
        void apply(Connection conn, String ownerId) throws SQLException;
    }

    private void attempt(String what, String ownerId, Change change) {
        try {
            ShortTransaction.run(connections, conn -> {
                change.apply(conn, ownerId);
                return true;
            });
            failed = false;
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    failed ? Level.DEBUG : Level.WARNING,
                    "This node cannot be " + what + " the register of nodes",
                    LoggedError.of(e));
            failed = true;
        }
    }
}
