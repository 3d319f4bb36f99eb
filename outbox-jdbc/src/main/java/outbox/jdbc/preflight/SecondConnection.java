package outbox.jdbc.preflight;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.ConnectionProvider;
import outbox.util.DaemonThreadFactory;

/**
 * A connection beside that of the trial, if there is one to be had in time. It is asked for on a thread of its own: there may be none left, and to
 * wait for one that never comes would hold up the start. One that comes too late is given back.
 */
final class SecondConnection implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final Logger LOG = SafeLog.of(SecondConnection.class);
    private static final DaemonThreadFactory THREADS = new DaemonThreadFactory("outbox-preflight-connection-");

    private final @Nullable Connection connection;

    private SecondConnection(@Nullable Connection connection) {
        this.connection = connection;
    }

    static SecondConnection of(ConnectionProvider connections) {
        CompletableFuture<Connection> arrival = new CompletableFuture<>();
        Thread asking = THREADS.newThread(() -> ask(connections, arrival));
        asking.start();
        try {
            return new SecondConnection(arrival.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException | ExecutionException e) {
            LOG.log(Level.DEBUG, "No second connection for the preflight", LoggedError.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean none = arrival.cancel(false);
        asking.interrupt();
        return new SecondConnection(none || arrival.isCompletedExceptionally() ? null : arrival.join());
    }

    private static void ask(ConnectionProvider connections, CompletableFuture<Connection> arrival) {
        try {
            Connection arrived = connections.getConnection();
            if (!arrival.complete(arrived)) {
                arrived.close();
            }
        } catch (SQLException | RuntimeException e) {
            arrival.completeExceptionally(e);
        }
    }

    /** Null if none came in time. */
    @Nullable
    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }
}
