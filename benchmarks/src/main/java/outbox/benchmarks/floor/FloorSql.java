package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.database.DatabaseKind;

/**
 * The fewest and cheapest statements that do an outbox's work on one database. The table carries the same information as ours,
 * with one index that has the pending rows in the order in which they are claimed.
 *
 * <p>Statements are prepared for each use: all drivers that matter here keep them.
 */
abstract class FloorSql {

    static final String COLUMNS =
            "(event_id, event_type, aggregate_type, payload, status, attempts, available_at, created_at)";
    static final String EVENT_TYPE = "OrderPlaced";
    static final String AGGREGATE_TYPE = "GLOBAL";

    private static final String ROW = "(?, ?, ?, ?, 0, 0, ?, ?)";
    private static final String INSERT = "INSERT INTO floor_event " + COLUMNS + " VALUES ";

    /** An event that was leased. */
    record Claimed(String id, String payload) {}

    static FloorSql of(DatabaseKind kind) {
        return switch (kind) {
            case POSTGRESQL -> new PostgresFloorSql();
            case MYSQL, MARIADB -> new MySqlFamilyFloorSql();
            case H2 -> new H2FloorSql();
        };
    }

    abstract List<String> ddl();

    /** Leases the oldest free events; part of the connection's transaction. */
    abstract List<Claimed> claim(Connection connection, String owner, int limit) throws SQLException;

    abstract void markDone(Connection connection, List<String> ids) throws SQLException;

    abstract void delete(Connection connection, List<String> ids) throws SQLException;

    /** How many threads drain fastest. */
    int drainThreads() {
        return 2;
    }

    /** Isolation that the database needs for claims that do not block inserts. */
    int isolation() {
        return Connection.TRANSACTION_READ_COMMITTED;
    }

    final Connection prepare(Connection connection) throws SQLException {
        connection.setTransactionIsolation(isolation());
        connection.setAutoCommit(false);
        return connection;
    }

    /** Inserts all in one statement; by default with as many rows of values. */
    void insert(Connection connection, List<BenchEvent> events) throws SQLException {
        String sql = INSERT + ROW + (", " + ROW).repeat(events.size() - 1);
        Timestamp now = new Timestamp(System.currentTimeMillis());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (BenchEvent event : events) {
                statement.setString(index++, event.id());
                statement.setString(index++, EVENT_TYPE);
                statement.setString(index++, AGGREGATE_TYPE);
                statement.setString(index++, event.payload());
                statement.setTimestamp(index++, now);
                statement.setTimestamp(index++, now);
            }
            statement.executeUpdate();
        }
    }

    static List<Claimed> read(ResultSet rows) throws SQLException {
        List<Claimed> claimed = new ArrayList<>();
        while (rows.next()) {
            claimed.add(new Claimed(rows.getString(1), rows.getString(2)));
        }
        return claimed;
    }
}
