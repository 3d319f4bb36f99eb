package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;

/** One statement each: claim with SKIP LOCKED and RETURNING, marks with an array of ids, batches through unnest. */
final class PostgresFloorSql extends FloorSql {

    private static final String TABLE = """
            CREATE TABLE floor_event (
              event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(128) NOT NULL, aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload TEXT NOT NULL, headers TEXT, status SMALLINT NOT NULL,
              attempts INT NOT NULL, available_at TIMESTAMPTZ(6) NOT NULL, created_at TIMESTAMPTZ(6) NOT NULL,
              done_at TIMESTAMPTZ(6), last_error TEXT, locked_by VARCHAR(128), locked_at TIMESTAMPTZ(6))
            WITH (fillfactor = 50)""";
    private static final String PENDING_INDEX =
            "CREATE INDEX floor_pending ON floor_event (created_at, event_id) WHERE status IN (0, 2)";

    private static final String CLAIM = """
            WITH free AS (
              SELECT event_id FROM floor_event
              WHERE status IN (0, 2) AND available_at <= now() AND (locked_at IS NULL OR locked_at < now() - interval '1 minute')
              ORDER BY created_at, event_id LIMIT ? FOR UPDATE SKIP LOCKED)
            UPDATE floor_event AS event SET locked_by = ?, locked_at = now() FROM free WHERE event.event_id = free.event_id
            RETURNING event.event_id, event.payload""";
    private static final String DONE = "UPDATE floor_event SET status = 1, done_at = now(), locked_by = NULL,"
            + " locked_at = NULL WHERE event_id = ANY(?) AND status IN (0, 2)";
    private static final String DELETE = "DELETE FROM floor_event WHERE event_id = ANY(?) AND status IN (0, 2)";
    private static final String INSERT_ALL = "INSERT INTO floor_event " + COLUMNS
            + " SELECT id, ?, ?, payload, 0, 0, ?, ? FROM unnest(?, ?) AS event (id, payload)";

    @Override
    List<String> ddl() {
        return List.of(TABLE, PENDING_INDEX);
    }

    @Override
    List<Claimed> claim(Connection connection, String owner, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
            statement.setInt(1, limit);
            statement.setString(2, owner);
            try (ResultSet rows = statement.executeQuery()) {
                return read(rows);
            }
        }
    }

    @Override
    void markDone(Connection connection, List<String> ids) throws SQLException {
        change(connection, DONE, ids);
    }

    @Override
    void delete(Connection connection, List<String> ids) throws SQLException {
        change(connection, DELETE, ids);
    }

    private static void change(Connection connection, String sql, List<String> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("varchar", ids.toArray()));
            statement.executeUpdate();
        }
    }

    @Override
    void insert(Connection connection, List<BenchEvent> events) throws SQLException {
        if (events.size() == 1) {
            super.insert(connection, events);
            return;
        }
        Timestamp now = new Timestamp(System.currentTimeMillis());
        Object[] ids = events.stream().map(BenchEvent::id).toArray();
        Object[] payloads = events.stream().map(BenchEvent::payload).toArray();
        try (PreparedStatement statement = connection.prepareStatement(INSERT_ALL)) {
            statement.setString(1, EVENT_TYPE);
            statement.setString(2, AGGREGATE_TYPE);
            statement.setTimestamp(3, now);
            statement.setTimestamp(4, now);
            statement.setArray(5, connection.createArrayOf("varchar", ids));
            statement.setArray(6, connection.createArrayOf("text", payloads));
            statement.executeUpdate();
        }
    }
}
