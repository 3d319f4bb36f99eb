package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Failure;
import outbox.model.NodeMode;
import outbox.model.OutboxNode;
import outbox.spi.MissingNodeTableException;

/**
 * The processes that share an outbox, in a table beside its own. Nothing depends on it. A table of an older version has no column for the mode; then
 * nobody's mode is known.
 */
final class NodeRegister {

    private static final Logger LOG = SafeLog.of(JdbcLeaseStore.class);

    /** After which a node that was not heard of is taken out, by the next one that begins. */
    private static final Duration RETENTION = Duration.ofDays(1);

    private static final String MODE = "mode";
    private static final int VERSION_WITH_NODES = 2;
    private static final int VERSION_WITH_MODE = 6;

    private final EventTable table;
    private final TableName nodeTable;
    private final DatabaseTime time;
    private final TableColumns columns;

    /** Null until it was looked at, and again after a statement was refused. */
    private volatile @Nullable Boolean hasMode;

    NodeRegister(EventTable table, DatabaseTime time) {
        this.table = table;
        this.nodeTable = table.name().beside("_node");
        this.time = time;
        this.columns = new TableColumns(nodeTable);
    }

    void heartbeat(Connection conn, String ownerId, @Nullable NodeMode mode) {
        run("show node " + ownerId, () -> {
            int updated = JdbcTemplate.update(
                    conn, "UPDATE " + nodeTable + " SET last_seen = " + time.now() + " WHERE owner_id = ?", ownerId);
            return updated > 0 ? updated : register(conn, ownerId, mode);
        });
    }

    /** Nobody else registers under this name, so the row cannot come in between. */
    private int register(Connection conn, String ownerId, @Nullable NodeMode mode) throws SQLException {
        JdbcTemplate.update(
                conn,
                "DELETE FROM " + nodeTable + " WHERE last_seen < " + time.nowPlusMicros(),
                -EventTable.micros(RETENTION));
        String insert = "INSERT INTO " + nodeTable + " (owner_id, started_at, last_seen";
        String values = ") VALUES (?, " + time.now() + ", " + time.now();
        return mode != null && hasMode(conn)
                ? JdbcTemplate.update(conn, insert + ", " + MODE + values + ", ?)", ownerId, mode.toString())
                : JdbcTemplate.update(conn, insert + values + ")", ownerId);
    }

    /** Asked once. A column that is added later is noticed after a restart. */
    private boolean hasMode(Connection conn) throws SQLException {
        Boolean known = hasMode;
        if (known == null) {
            known = columns.types(conn).containsKey(MODE);
            hasMode = known;
            if (!known) {
                LOG.log(
                        Level.INFO,
                        "Table \"" + nodeTable + "\" has no column \"" + MODE
                                + "\", so nobody sees how a process delivers: apply " + script(VERSION_WITH_MODE));
            }
        }
        return known;
    }

    private String script(int version) {
        return OutboxSchema.versions(table.dialect().name()).resource(version) + " from "
                + Objects.requireNonNullElse(table.dialect().scriptsIn(), "outbox-jdbc");
    }

    void forget(Connection conn, String ownerId) {
        run(
                "take node " + ownerId + " out of the register",
                () -> JdbcTemplate.update(conn, "DELETE FROM " + nodeTable + " WHERE owner_id = ?", ownerId));
    }

    /** All of them, with what each holds; the one that was heard of last comes first. */
    List<OutboxNode> all(Connection conn) {
        String held = "(SELECT COUNT(*) FROM " + table.name()
                + " event WHERE event.locked_by = node.owner_id AND event." + EventTable.PENDING + ")";
        return run(
                "list nodes",
                () -> JdbcTemplate.query(
                        conn, select(conn, held) + " ORDER BY last_seen DESC, owner_id", row -> node(row)));
    }

    /** Those beside one that were heard of lately. */
    List<OutboxNode> neighbours(Connection conn, String ownerId, Duration silentFor) {
        return run(
                "look for the neighbours of node " + ownerId,
                () -> JdbcTemplate.query(
                        conn,
                        select(conn, "0") + " WHERE owner_id <> ? AND last_seen > " + time.nowPlusMicros(),
                        row -> node(row),
                        ownerId,
                        -EventTable.micros(silentFor)));
    }

    private String select(Connection conn, String held) throws SQLException {
        return "SELECT owner_id, started_at, last_seen, " + time.now() + " AS db_now, " + held + " AS held, "
                + (hasMode(conn) ? MODE : "NULL") + " AS node_mode FROM " + nodeTable + " node";
    }

    private OutboxNode node(ResultSet row) throws SQLException {
        Instant lastSeen = time(row, 3);
        Instant now = time(row, 4);
        return new OutboxNode(
                row.getString("owner_id"),
                time(row, 2),
                lastSeen,
                Math.max(0, Duration.between(lastSeen, now).toSeconds()),
                row.getInt("held"),
                NodeMode.of(row.getString("node_mode")));
    }

    private Instant time(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(table.dialect().binding().readTime(row, column, JdbcTemplate.utcCalendar()));
    }

    private <T> T run(String what, EventTable.SqlCall<T> call) {
        return table.run(what, () -> {
            try {
                return call.run();
            } catch (SQLException e) {
                hasMode = null;
                if (table.dialect().failures().is(Failure.MISSING, e)) {
                    throw new MissingNodeTableException(
                            "Table \"" + nodeTable + "\" is missing, so nobody sees which processes deliver from "
                                    + table.name() + ": " + script(VERSION_WITH_NODES) + " creates it",
                            e);
                }
                throw e;
            }
        });
    }
}
