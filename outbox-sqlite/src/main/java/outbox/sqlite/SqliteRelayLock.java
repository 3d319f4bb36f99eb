package outbox.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/**
 * A row with a lease, in a table beside that of the events, since SQLite has no locks by name. A holder that dies is followed by another
 * when the lease has expired.
 */
final class SqliteRelayLock implements RelayLock {

    private static final long LEASE_MICROS = 5_000_000;

    private final DataSource dataSource;
    private final TableName lockTable;
    private final String now;
    private final String owner = UUID.randomUUID().toString();
    private boolean prepared;

    SqliteRelayLock(DataSource dataSource, TableName table) {
        this.dataSource = dataSource;
        this.lockTable = table.beside("_relay");
        this.now = new SqliteDialect().time(lockTable).now();
    }

    @Override
    public synchronized boolean tryHold() throws SQLException {
        if (!prepared) {
            update("CREATE TABLE IF NOT EXISTS " + lockTable
                    + " (id INTEGER PRIMARY KEY, owner TEXT, held_until INTEGER NOT NULL)");
            update("INSERT OR IGNORE INTO " + lockTable + " VALUES (1, NULL, 0)");
            prepared = true;
        }
        String hold = "UPDATE " + lockTable + " SET owner = ?, held_until = " + now
                + " + ? WHERE id = 1 AND (owner = ? OR held_until < " + now + ")";
        return update(hold, owner, LEASE_MICROS, owner) == 1;
    }

    @Override
    public synchronized void close() {
        try {
            if (prepared) {
                update("UPDATE " + lockTable + " SET held_until = 0 WHERE owner = ?", owner);
            }
        } catch (SQLException e) {
            // Then it expires.
        }
    }

    private int update(String sql, Object... params) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            int rows = JdbcTemplate.update(conn, sql, params);
            if (!conn.getAutoCommit()) {
                conn.commit();
            }
            return rows;
        }
    }
}
