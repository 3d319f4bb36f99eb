package outbox.cluster.order;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.model.EventStatus;

/** The tables: which events there must be, and how they stand. */
final class Ledger {

    private final OrderSettings settings;

    Ledger(OrderSettings settings) {
        this.settings = settings;
    }

    void create(String dialect) throws SQLException {
        try (Connection conn = connect()) {
            OutboxSchema.create(conn, dialect, TableName.DEFAULT);
            OutboxSchema.create(conn, dialect + "-ordered", TableName.DEFAULT);
            JdbcTemplate.update(conn, "CREATE TABLE account (id VARCHAR(40) PRIMARY KEY, n BIGINT NOT NULL)");
            JdbcTemplate.update(
                    conn,
                    "CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY, account VARCHAR(40), n BIGINT NOT NULL,"
                            + " place INT NOT NULL, fate VARCHAR(10) NOT NULL)");
            JdbcTemplate.update(conn, "CREATE TABLE pulse (id INT PRIMARY KEY, n BIGINT NOT NULL)");
            conn.setAutoCommit(false);
            JdbcTemplate.batchUpdate(
                    conn,
                    "INSERT INTO account (id, n) VALUES (?, 0)",
                    Keys.all().stream().map(key -> new Object[] {key}).toList());
            JdbcTemplate.batchUpdate(
                    conn,
                    "INSERT INTO pulse (id, n) VALUES (?, 0)",
                    IntStream.range(0, 100).mapToObj(i -> new Object[] {i}).toList());
            conn.commit();
        }
    }

    List<CommittedEvent> events() throws SQLException {
        try (Connection conn = connect()) {
            return JdbcTemplate.query(
                    conn,
                    "SELECT b.event_id, b.account, b.n, b.place, b.fate, o.status FROM business b"
                            + " LEFT JOIN outbox_event o ON o.event_id = b.event_id",
                    Ledger::event);
        }
    }

    private static CommittedEvent event(ResultSet row) throws SQLException {
        int status = row.getInt(6);
        return new CommittedEvent(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                row.getInt(4),
                Fate.valueOf(row.getString(5)),
                row.wasNull() ? null : EventStatus.fromCode(status));
    }

    /** How many transactions the accounts have counted. */
    long transactions() throws SQLException {
        return count("SELECT sum(n) FROM account");
    }

    /** How many rows of the outbox no transaction has committed. */
    long strangers() throws SQLException {
        return count("SELECT count(*) FROM outbox_event o WHERE NOT EXISTS"
                + " (SELECT 1 FROM business b WHERE b.event_id = o.event_id)");
    }

    private long count(String sql) throws SQLException {
        try (Connection conn = connect()) {
            return JdbcTemplate.query(conn, sql, row -> row.getLong(1)).get(0);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(settings.jdbcUrl(), settings.user(), settings.password());
    }
}
