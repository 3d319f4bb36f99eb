package outbox.samples.operations;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

/**
 * The database of the demo, in the memory of this process. Other processes of this machine reach it through the loopback address, with a
 * password that they find in their environment.
 */
final class SharedDatabase implements AutoCloseable {

    /** Where invoices wait for the partner. */
    static final TableName PARTNER_OUTBOX = TableName.of("partner_outbox");

    private static final String URL = "DEMO_DATABASE_URL";
    private static final String PASSWORD = "DEMO_DATABASE_PASSWORD";
    private static final String USER = "demo";

    static {
        // Read when H2 is loaded: without it its server would listen on all addresses.
        System.setProperty("h2.bindAddress", "127.0.0.1");
    }

    private final String name = "mem:" + UUID.randomUUID();
    private final String password = UUID.randomUUID().toString();
    private final JdbcConnectionPool pool;
    private final Server server;

    private SharedDatabase() throws SQLException {
        this.pool = JdbcConnectionPool.create("jdbc:h2:" + name + ";DB_CLOSE_DELAY=-1", USER, password);
        createTables();
        this.server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
    }

    /** A new database with its tables, gone when it is closed. */
    static SharedDatabase open() throws SQLException {
        return new SharedDatabase();
    }

    /** The database of the process that has started this one. */
    static DataSource ofParent() {
        return JdbcConnectionPool.create(variable(URL), USER, variable(PASSWORD));
    }

    /** What another process needs in its environment for {@link #ofParent()}. */
    Map<String, String> environment() {
        return Map.of(URL, "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + name, PASSWORD, password);
    }

    DataSource dataSource() {
        return pool;
    }

    long count(String sql, @Nullable Object... params) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getLong(1), params).get(0);
        }
    }

    /** How many events of the shop have one of the statuses. */
    long events(String statuses) throws SQLException {
        return count("SELECT COUNT(*) FROM outbox_event WHERE status IN (" + statuses + ")");
    }

    private void createTables() throws SQLException {
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
            OutboxSchema.create(conn, "h2", PARTNER_OUTBOX);
            InboxSchema.create(conn, "h2", InboxSchema.DEFAULT_TABLE);
            JdbcTemplate.update(conn, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
            // No key on the order: only the inbox keeps it from being charged twice.
            JdbcTemplate.update(conn, "CREATE TABLE charges (order_id VARCHAR(40) NOT NULL)");
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set: this process is started by OperationsDemo");
        }
        return value;
    }

    @Override
    public void close() throws SQLException {
        server.stop();
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "SHUTDOWN");
        } finally {
            pool.dispose();
        }
    }
}
