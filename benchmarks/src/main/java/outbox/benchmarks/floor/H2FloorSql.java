package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * H2, which runs in the caller's process: there are no round trips to save, and a JDBC batch by primary key is twice as fast as a
 * list of ids in one statement. Locking reads are slow, so a claim is a plain read and an update that says which rows it won; a
 * second thread would only see the same rows.
 */
final class H2FloorSql extends FloorSql {

    private static final String TABLE = """
            CREATE TABLE floor_event (
              event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(128) NOT NULL, aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload VARCHAR(1048576) NOT NULL, headers VARCHAR(1048576),
              status TINYINT NOT NULL, attempts INT NOT NULL, available_at TIMESTAMP(6) NOT NULL, created_at TIMESTAMP(6) NOT NULL,
              done_at TIMESTAMP(6), last_error VARCHAR(4000), locked_by VARCHAR(128), locked_at TIMESTAMP(6))""";
    private static final String PENDING_INDEX =
            "CREATE INDEX floor_pending ON floor_event (status, created_at, event_id)";

    private static final String FREE = "(locked_at IS NULL OR locked_at < DATEADD(MINUTE, -1, LOCALTIMESTAMP))";
    private static final String FIND_FREE = "SELECT event_id, payload FROM floor_event WHERE status = 0 AND " + FREE
            + " ORDER BY status, created_at, event_id LIMIT ?";
    private static final String LEASE = "UPDATE floor_event SET locked_by = 'floor', locked_at = LOCALTIMESTAMP"
            + " WHERE event_id = ? AND status = 0 AND " + FREE;
    private static final String DONE = "UPDATE floor_event SET status = 1, done_at = LOCALTIMESTAMP, locked_by = NULL,"
            + " locked_at = NULL WHERE event_id = ? AND status = 0";
    private static final String DELETE = "DELETE FROM floor_event WHERE event_id = ? AND status = 0";

    @Override
    List<String> ddl() {
        return List.of(TABLE, PENDING_INDEX);
    }

    @Override
    int drainThreads() {
        return 1;
    }

    @Override
    List<Claimed> claim(Connection connection, String owner, int limit) throws SQLException {
        List<Claimed> free = findFree(connection, limit);
        int[] changed = change(connection, LEASE, free.stream().map(Claimed::id).toList());
        List<Claimed> won = new ArrayList<>();
        for (int i = 0; i < changed.length; i++) {
            if (changed[i] == 1) {
                won.add(free.get(i));
            }
        }
        return won;
    }

    private static List<Claimed> findFree(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND_FREE)) {
            statement.setInt(1, limit);
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

    private static int[] change(Connection connection, String sql, List<String> ids) throws SQLException {
        if (ids.isEmpty()) {
            return new int[0];
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (String id : ids) {
                statement.setString(1, id);
                statement.addBatch();
            }
            return statement.executeBatch();
        }
    }
}
