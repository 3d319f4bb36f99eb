package outbox.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

/**
 * An advisory lock of a transaction that is kept open. One of the session would do as well, were it not for proxies that give each
 * transaction another session: there it would be left behind on a connection that others use. An open transaction keeps its session,
 * cannot take the lock twice, and loses it only together with everything else. It is READ COMMITTED, whatever the data source's level, so
 * it has no snapshot between two statements; and it never writes. So it does not hold back vacuum.
 */
final class PostgresRelayLock extends ConnectionRelayLock {

    private static final String ACQUIRE = "SELECT pg_try_advisory_xact_lock(hashtextextended('outbox relay ' ||"
            + " CAST(CAST(CAST(? AS regclass) AS oid) AS text), 0))";

    /**
     * Ends sessions whose transactions are open for long, or do nothing for long, which is what this one is for. Only those that this version
     * of the server knows, and only for this transaction; every role may change them.
     */
    private static final String LIVE_LONG = "SELECT set_config(name, '0', true) FROM pg_settings"
            + " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')";

    private final TableName table;

    PostgresRelayLock(DataSource dataSource, TableName table) {
        super(dataSource);
        this.table = table;
    }

    @Override
    boolean acquire(Connection conn) throws SQLException {
        conn.setAutoCommit(false);
        conn.rollback(); // what the pool may have begun: the level can be chosen only at the beginning
        JdbcTemplate.update(conn, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        JdbcTemplate.query(conn, LIVE_LONG, row -> row.getString(1));
        return JdbcTemplate.query(conn, ACQUIRE, row -> row.getBoolean(1), table.toString())
                .get(0);
    }

    /**
     * In the same transaction; were that not alive any more, the statement would fail. A SELECT would leave its snapshot behind until the
     * next statement.
     */
    @Override
    boolean holds(Connection conn) throws SQLException {
        return !JdbcTemplate.query(conn, "SHOW transaction_isolation", row -> row.getString(1))
                .isEmpty();
    }

    @Override
    void release(Connection conn) throws SQLException {
        conn.rollback();
    }
}
