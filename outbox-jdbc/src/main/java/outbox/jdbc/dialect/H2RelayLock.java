package outbox.jdbc.dialect;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.ConnectionProvider;
import outbox.spi.RelayLock;

/**
 * A row with a lease, in a table beside that of the events, since H2 has no locks by name. A holder that dies is followed by another
 * when the lease has expired, by the database's clock; sessions may have time zones of their own.
 */
final class H2RelayLock implements RelayLock {

    private static final Logger LOG = SafeLog.of(H2RelayLock.class);
    private static final int LEASE_SECONDS = 5;
    private static final String LONG_AGO = "TIMESTAMP WITH TIME ZONE '2000-01-01 00:00:00+00'";

    private final ConnectionProvider connections;
    private final TableName lockTable;
    private final String owner = UUID.randomUUID().toString();
    private boolean prepared;

    H2RelayLock(DataSource dataSource, TableName table) {
        this.connections = new DataSourceConnectionProvider(dataSource);
        this.lockTable = table.beside("_relay");
    }

    @Override
    public synchronized boolean tryHold() throws SQLException {
        if (!prepared) {
            ShortTransaction.run(connections, this::prepare);
            prepared = true;
        }
        return ShortTransaction.run(connections, this::hold);
    }

    private int prepare(Connection conn) throws SQLException {
        JdbcTemplate.update(
                conn,
                "CREATE TABLE IF NOT EXISTS " + lockTable
                        + " (id TINYINT PRIMARY KEY, owner VARCHAR(64), held_until TIMESTAMP(6) WITH TIME ZONE NOT NULL)");
        return JdbcTemplate.update(
                conn,
                "MERGE INTO " + lockTable + " t USING (VALUES (1)) s (id) ON t.id = s.id"
                        + " WHEN NOT MATCHED THEN INSERT VALUES (1, NULL, " + LONG_AGO + ")");
    }

    private boolean hold(Connection conn) throws SQLException {
        int changed = JdbcTemplate.update(
                conn,
                "UPDATE " + lockTable + " SET owner = ?, held_until = DATEADD(SECOND, " + LEASE_SECONDS
                        + ", CURRENT_TIMESTAMP(6)) WHERE id = 1 AND (owner = ? OR held_until < CURRENT_TIMESTAMP(6))",
                owner,
                owner);
        return changed == 1;
    }

    @Override
    public synchronized void close() {
        try {
            if (prepared) {
                ShortTransaction.run(connections, this::free);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot free the relay lock; it expires", LoggedError.of(e));
        }
    }

    private int free(Connection conn) throws SQLException {
        return JdbcTemplate.update(
                conn, "UPDATE " + lockTable + " SET held_until = " + LONG_AGO + " WHERE owner = ?", owner);
    }
}
