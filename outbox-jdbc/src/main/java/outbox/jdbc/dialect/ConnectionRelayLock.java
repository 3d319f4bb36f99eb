package outbox.jdbc.dialect;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.LastWork;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.internal.Abort;
import outbox.spi.RelayLock;

/** A lock that lives as long as the connection on which it was taken. */
abstract class ConnectionRelayLock implements RelayLock {

    private static final Logger LOG = SafeLog.of(ConnectionRelayLock.class);

    /** How long a close waits for the database, before it ends the connection and leaves the rest to it. */
    private static final Duration CLOSES_WITHIN = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicInteger closes = new AtomicInteger();
    /** On which the lock is held, or asked for. Changed only by whose turn it is. */
    private volatile @Nullable Connection current;

    private boolean foundAutoCommit;

    ConnectionRelayLock(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Tries to take the lock on a connection that does not have it. */
    abstract boolean acquire(Connection conn) throws SQLException;

    /** Asks whether the connection has the lock. */
    abstract boolean holds(Connection conn) throws SQLException;

    /** Frees the lock. */
    abstract void release(Connection conn) throws SQLException;

    @Override
    public final boolean tryHold() throws SQLException {
        turn.lock();
        try {
            Connection conn = current;
            return conn == null ? begin() : goOn(conn);
        } finally {
            turn.unlock();
        }
    }

    @Override
    public final Object holdsConnectionOf() {
        return new DataSourceConnectionProvider(dataSource).source();
    }

    private boolean goOn(Connection conn) throws SQLException {
        boolean held = false;
        try {
            held = holds(conn);
        } finally {
            if (!held) {
                end(conn);
            }
        }
        return held;
    }

    /** A close that comes while the database takes its time to answer must not be outlived by a lock. */
    private boolean begin() throws SQLException {
        int closesBefore = closes.get();
        Connection conn = dataSource.getConnection();
        current = conn;
        boolean acquired = false;
        try {
            foundAutoCommit = conn.getAutoCommit();
            acquired = acquire(conn) && holds(conn) && closes.get() == closesBefore;
            return acquired;
        } finally {
            if (!acquired) {
                end(conn);
            }
        }
    }

    /** Another thread may wait for an answer on the connection, and so would the one that frees the lock: then it is ended as it is. */
    @Override
    public final void close() {
        closes.incrementAndGet();
        boolean ended = LastWork.within(CLOSES_WITHIN, "The release of a relay lock", this::endInTurn);
        Connection conn = current;
        if (!ended && conn != null) {
            Abort.now(conn);
        }
    }

    private void endInTurn() {
        turn.lock();
        try {
            Connection conn = current;
            if (conn != null) {
                end(conn);
            }
        } finally {
            turn.unlock();
        }
    }

    /** Gives the connection back as it was found. One that does not even close is broken, and the lock gone with it. */
    private void end(Connection conn) {
        try (conn) {
            release(conn);
            conn.setAutoCommit(foundAutoCommit);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "A connection of a relay lock did not end in good order", LoggedError.of(e));
        } finally {
            current = null;
        }
    }
}
