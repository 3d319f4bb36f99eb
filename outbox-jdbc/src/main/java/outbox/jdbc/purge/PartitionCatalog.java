package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;

/** Asks the database which partitions a table has. */
final class PartitionCatalog {

    private static final Pattern BOUNDS = Pattern.compile("FOR VALUES FROM \\('([^']*)'\\) TO \\('([^']*)'\\)");

    private final TableName table;

    PartitionCatalog(TableName table) {
        this.table = table;
    }

    /**
     * All partitions, in the order of their names.
     *
     * @throws OutboxStoreException if the table is not partitioned by the event's id
     */
    List<Partition> partitions(Connection conn) throws SQLException {
        requirePartitioned(conn);
        return JdbcTemplate.query(
                conn,
                "SELECT CAST(CAST(c.oid AS regclass) AS text), pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits i"
                        + " JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = CAST(? AS regclass) ORDER BY 1",
                PartitionCatalog::partition,
                table.toString());
    }

    /** Whether it is there and belongs to the table; somebody may have taken it out to keep it. */
    boolean isAttached(Connection conn, Partition partition) throws SQLException {
        return !JdbcTemplate.query(
                        conn,
                        "SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass(?) AND inhparent = CAST(? AS regclass)",
                        row -> row.getInt(1),
                        partition.name(),
                        table.toString())
                .isEmpty();
    }

    /** The schema of the table, as it stands in SQL. */
    String schema(Connection conn) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                                + " WHERE c.oid = CAST(? AS regclass)",
                        row -> row.getString(1),
                        table.toString())
                .get(0);
    }

    private void requirePartitioned(Connection conn) throws SQLException {
        String key = JdbcTemplate.query(
                        conn,
                        "SELECT COALESCE(pg_get_partkeydef(CAST(? AS regclass)), 'nothing')",
                        row -> row.getString(1),
                        table.toString())
                .get(0);
        if (!key.startsWith("RANGE (event_id")) {
            throw new OutboxStoreException(
                    "Table \"" + table + "\" must be partitioned by RANGE (event_id), was by " + key
                            + ": create it with schema/postgresql-partitioned.sql from outbox-jdbc, or use"
                            + " PostgresEventPurger",
                    null);
        }
    }

    private static Partition partition(ResultSet row) throws SQLException {
        String bounds = row.getString(2);
        return new Partition(row.getString(1), range(bounds), bounds.equals("DEFAULT"));
    }

    private static @Nullable TimeRange range(String bounds) {
        Matcher range = BOUNDS.matcher(bounds);
        if (!range.matches()) {
            return null;
        }
        Instant from = UlidTime.of(range.group(1));
        Instant to = UlidTime.of(range.group(2));
        return from == null || to == null ? null : new TimeRange(from, to);
    }
}
