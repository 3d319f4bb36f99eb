package outbox.samples.demo;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.spi.ConnectionProvider;

/** An embedded database with the shop's orders, the outbox, and a journal of what was delivered. */
final class Database implements ConnectionProvider, AutoCloseable {

    private static final String ORDERS = """
            CREATE TABLE orders (
              id          VARCHAR(40) PRIMARY KEY,
              item        VARCHAR(100) NOT NULL,
              quantity    INT NOT NULL,
              total_cents INT NOT NULL
            )
            """;
    private static final String JOURNAL = """
            CREATE TABLE delivery_journal (
              id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              event_id        VARCHAR(36) NOT NULL,
              order_id        VARCHAR(40) NOT NULL,
              outcome         VARCHAR(10) NOT NULL,
              error           VARCHAR(1000),
              after_commit_ns BIGINT
            )
            """;

    private final JdbcConnectionPool pool;

    private Database(String url) {
        this.pool = JdbcConnectionPool.create(url, "sa", "");
    }

    /** A new database with its tables, gone when it is closed. */
    static Database inMemory() throws SQLException {
        Database database = new Database("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        database.createTables();
        return database;
    }

    /** A database in a file; nothing is opened before its first use. A commit returns when it has been written. */
    static Database inFile(Path file) {
        return new Database("jdbc:h2:file:" + file.toAbsolutePath() + ";WRITE_DELAY=0");
    }

    void createTables() throws SQLException {
        try (Connection conn = getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
            JdbcTemplate.update(conn, ORDERS);
            JdbcTemplate.update(conn, JOURNAL);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return pool.getConnection();
    }

    void update(String sql, @Nullable Object... params) throws SQLException {
        try (Connection conn = getConnection()) {
            JdbcTemplate.update(conn, sql, params);
        }
    }

    <T> List<T> query(String sql, JdbcTemplate.RowMapper<T> mapper, @Nullable Object... params) throws SQLException {
        try (Connection conn = getConnection()) {
            return JdbcTemplate.query(conn, sql, mapper, params);
        }
    }

    long count(String sql, @Nullable Object... params) throws SQLException {
        return query(sql, row -> row.getLong(1), params).get(0);
    }

    @Override
    public void close() throws SQLException {
        update("SHUTDOWN");
        pool.dispose();
    }
}
