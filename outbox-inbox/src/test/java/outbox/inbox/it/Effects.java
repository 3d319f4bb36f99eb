package outbox.inbox.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;

/** What handlers do: a row for each time, in a table that would let the same event be handled twice. */
final class Effects {

    /** The check is for a database to which the width of a column means nothing. */
    static final String DDL = "CREATE TABLE effect (consumer_group VARCHAR(64) NOT NULL, event_id VARCHAR(64) NOT NULL,"
            + " CHECK (LENGTH(consumer_group) <= 64))";

    private Effects() {}

    static void add(Connection conn, String group, EventEnvelope event) throws SQLException {
        JdbcTemplate.update(
                conn, "INSERT INTO effect (consumer_group, event_id) VALUES (?, ?)", group, event.eventId());
    }

    /** One statement, whatever their number. */
    static void addAll(Connection conn, String group, List<EventEnvelope> events) throws SQLException {
        Object[] params = events.stream()
                .flatMap(event -> Stream.of(group, event.eventId()))
                .toArray();
        JdbcTemplate.update(
                conn,
                "INSERT INTO effect (consumer_group, event_id) VALUES (?, ?)" + ", (?, ?)".repeat(events.size() - 1),
                params);
    }

    static long count(DataSource pool, String group) {
        return number(pool, "SELECT count(*) FROM effect WHERE consumer_group = ?", group);
    }

    static long distinct(DataSource pool, String group) {
        return number(pool, "SELECT count(DISTINCT event_id) FROM effect WHERE consumer_group = ?", group);
    }

    static long number(DataSource pool, String sql, Object... params) {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getLong(1), params).get(0);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static void execute(DataSource pool, String sql, Object... params) {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, sql, params);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
