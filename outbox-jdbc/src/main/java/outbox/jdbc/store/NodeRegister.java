package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.model.OutboxNode;

/** The processes that share an outbox, in a table beside its own. Only for people to look at. */
final class NodeRegister {

    /** After which a node that was not heard of is taken out, by the next one that begins. */
    private static final Duration RETENTION = Duration.ofDays(1);

    private final EventTable table;
    private final TableName nodeTable;
    private final DatabaseTime time;

    NodeRegister(EventTable table, DatabaseTime time) {
        this.table = table;
        this.nodeTable = table.name().beside("_node");
        this.time = time;
    }

    void heartbeat(Connection conn, String ownerId) {
        table.run("show node " + ownerId, () -> {
            int updated = JdbcTemplate.update(
                    conn, "UPDATE " + nodeTable + " SET last_seen = " + time.now() + " WHERE owner_id = ?", ownerId);
            return updated > 0 ? updated : register(conn, ownerId);
        });
    }

    /** Nobody else registers under this name, so the row cannot come in between. */
    private int register(Connection conn, String ownerId) throws SQLException {
        JdbcTemplate.update(
                conn,
                "DELETE FROM " + nodeTable + " WHERE last_seen < " + time.nowPlusMicros(),
                -EventTable.micros(RETENTION));
        return JdbcTemplate.update(
                conn,
                "INSERT INTO " + nodeTable + " (owner_id, started_at, last_seen) VALUES (?, " + time.now() + ", "
                        + time.now() + ")",
                ownerId);
    }

    void forget(Connection conn, String ownerId) {
        table.run(
                "take node " + ownerId + " out of the register",
                () -> JdbcTemplate.update(conn, "DELETE FROM " + nodeTable + " WHERE owner_id = ?", ownerId));
    }

    /** All of them, with what each holds; the one that was heard of last comes first. */
    List<OutboxNode> all(Connection conn) {
        String select = "SELECT owner_id, started_at, last_seen, " + time.now() + " AS db_now, (SELECT COUNT(*) FROM "
                + table.name()
                + " event WHERE event.locked_by = node.owner_id AND event." + EventTable.PENDING
                + ") AS held FROM " + nodeTable + " node ORDER BY last_seen DESC, owner_id";
        return table.run("list nodes", () -> JdbcTemplate.query(conn, select, this::node));
    }

    private OutboxNode node(ResultSet row) throws SQLException {
        Instant lastSeen = time(row, 3);
        Instant now = time(row, 4);
        return new OutboxNode(
                row.getString("owner_id"),
                time(row, 2),
                lastSeen,
                Math.max(0, Duration.between(lastSeen, now).toSeconds()),
                row.getInt("held"));
    }

    private Instant time(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(table.dialect().binding().readTime(row, column, JdbcTemplate.utcCalendar()));
    }
}
