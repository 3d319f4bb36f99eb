package outbox.jdbc.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

/** {@code GET_LOCK} of MySQL and MariaDB, which lives as long as the session. */
final class MySqlRelayLock extends ConnectionRelayLock {

    private final TableName table;

    MySqlRelayLock(DataSource dataSource, TableName table) {
        super(dataSource);
        this.table = table;
    }

    @Override
    boolean acquire(Connection conn) throws SQLException {
        return isTrue(conn, "SELECT GET_LOCK(?, 0)");
    }

    /** Not only whether the lock is taken, but by whom: behind a proxy the next statement may go to another session. */
    @Override
    boolean holds(Connection conn) throws SQLException {
        return isTrue(conn, "SELECT IS_USED_LOCK(?) = CONNECTION_ID()");
    }

    @Override
    void release(Connection conn) throws SQLException {
        isTrue(conn, "SELECT RELEASE_LOCK(?)");
    }

    private boolean isTrue(Connection conn, String sql) throws SQLException {
        return JdbcTemplate.query(conn, sql, row -> row.getInt(1) == 1, lockName(conn))
                .get(0);
    }

    /** Which of the two it is depends on a setting of the driver. */
    private static String currentDatabase(Connection conn) throws SQLException {
        return conn.getCatalog() == null ? conn.getSchema() : conn.getCatalog();
    }

    /** The names of locks are the server's, not the database's, and at most 64 characters long. */
    private String lockName(Connection conn) throws SQLException {
        String schema = table.schema() == null ? currentDatabase(conn) : table.schema();
        String name = schema + "." + table.table();
        return "outbox-relay-" + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
}
