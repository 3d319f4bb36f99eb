package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MySQL and MariaDB: without partial indexes, the index leads with the status; a claim is two statements. */
final class MySqlFamilyFloorSql extends FloorSql {

    private static final String TABLE = """
            CREATE TABLE floor_event (
              event_id VARCHAR(36) NOT NULL PRIMARY KEY, event_type VARCHAR(128) NOT NULL, aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload LONGTEXT NOT NULL, headers LONGTEXT,
              status TINYINT NOT NULL, attempts INT NOT NULL, available_at DATETIME(6) NOT NULL, created_at DATETIME(6) NOT NULL,
              done_at DATETIME(6), last_error TEXT, locked_by VARCHAR(128), locked_at DATETIME(6),
              INDEX floor_pending (status, created_at, event_id)
            ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin""";

    private static final String FIND_FREE = """
            SELECT event_id, payload FROM floor_event
            WHERE status = 0 AND (locked_at IS NULL OR locked_at < NOW(6) - INTERVAL 1 MINUTE)
            ORDER BY created_at, event_id LIMIT ? FOR UPDATE SKIP LOCKED""";
    private static final String LEASE = "UPDATE floor_event SET locked_by = ?, locked_at = NOW(6)";
    private static final String DONE =
            "UPDATE floor_event SET status = 1, done_at = NOW(6), locked_by = ?, locked_at = NULL";

    @Override
    List<String> ddl() {
        return List.of(TABLE);
    }

    @Override
    List<Claimed> claim(Connection connection, String owner, int limit) throws SQLException {
        List<Claimed> free = findFree(connection, limit);
        if (!free.isEmpty()) {
            change(connection, LEASE, owner, free.stream().map(Claimed::id).toList());
        }
        return free;
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
        change(connection, DONE, null, ids);
    }

    @Override
    void delete(Connection connection, List<String> ids) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM floor_event WHERE event_id IN " + places(ids))) {
            bind(statement, 1, ids);
            statement.executeUpdate();
        }
    }

    private static void change(Connection connection, String what, @Nullable String owner, List<String> ids)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(what + " WHERE event_id IN " + places(ids))) {
            statement.setString(1, owner);
            bind(statement, 2, ids);
            statement.executeUpdate();
        }
    }

    private static String places(List<String> ids) {
        return "(?" + ", ?".repeat(ids.size() - 1) + ")";
    }

    private static void bind(PreparedStatement statement, int first, List<String> ids) throws SQLException {
        for (int i = 0; i < ids.size(); i++) {
            statement.setString(first + i, ids.get(i));
        }
    }
}
