package outbox.jdbc.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;
import outbox.spi.PurgeRuns.Expiry;

/**
 * Drops a partition if nothing in it must stay.
 *
 * <p>First it looks without any lock, and counts. Then it locks the table and the partition and looks again, through the indexes, so that
 * the locks are short: whoever has written or replayed an event in it has committed by then and is seen, or still holds a lock, and then
 * the partition stays. The table is locked first, as by every statement that goes through it, so none of them can wait for the partition
 * while holding what is needed here. An event of this range that is written later goes to the default partition.
 */
final class PartitionDropper {

    private static final Logger LOG = SafeLog.of(PartitionDropper.class);
    private static final String UNDEFINED_TABLE = "42P01";

    private final TableName table;
    private final PartitionCatalog catalog;
    private final ShortLocks locks;

    PartitionDropper(TableName table, ShortLocks locks) {
        this.table = table;
        this.catalog = new PartitionCatalog(table);
        this.locks = locks;
    }

    /** What has become of a partition. */
    enum Outcome {
        DROPPED,
        /** Another process has dropped it, or somebody has taken it out of the table. */
        GONE,
        /** Something in it must stay. */
        KEPT,
        /** Others held locks for too long. */
        BUSY
    }

    /**
     * The end of a try.
     *
     * @param rows how many events went with the partition
     */
    record Drop(Outcome outcome, long rows) {}

    /** Drops the partition if all of its events have expired. */
    Drop dropIfExpired(ConnectionProvider connections, Partition partition, Expiry expiry) throws SQLException {
        return drop(connections, partition, Remaining.of(expiry));
    }

    /** Drops the partition if there is no event in it. */
    Drop dropIfEmpty(ConnectionProvider connections, Partition partition) throws SQLException {
        return drop(connections, partition, Remaining.ANY);
    }

    private Drop drop(ConnectionProvider connections, Partition partition, Remaining remaining) throws SQLException {
        try {
            long rows = ShortTransaction.run(connections, conn -> countUnlessKept(conn, partition, remaining));
            if (rows < 0) {
                return new Drop(Outcome.KEPT, 0);
            }
            Outcome outcome = locks.run(connections, conn -> dropLocked(conn, partition, remaining));
            if (outcome == Outcome.DROPPED) {
                LOG.log(Level.INFO, "Dropped partition {0} with {1} finished event(s)", partition.name(), rows);
                return new Drop(outcome, rows);
            }
            return new Drop(outcome == null ? Outcome.BUSY : outcome, 0);
        } catch (SQLException e) {
            if (isGone(e)) {
                return new Drop(Outcome.GONE, 0);
            }
            throw e;
        }
    }

    static boolean isGone(@Nullable Throwable e) {
        return e instanceof SQLException failure && UNDEFINED_TABLE.equals(failure.getSQLState());
    }

    /**
     * How many rows would go; negative if one must stay. Looks for a status that nobody knows as well: the table of a user may lack the
     * script's constraint.
     */
    private static long countUnlessKept(Connection conn, Partition partition, Remaining remaining) throws SQLException {
        if (remaining.isIn(conn, partition)) {
            return -1;
        }
        long[] counts = JdbcTemplate.query(
                        conn,
                        "SELECT COUNT(*), COUNT(*) FILTER (WHERE status NOT IN (0, 1, 2, 3)) FROM " + partition.name(),
                        row -> new long[] {row.getLong(1), row.getLong(2)})
                .get(0);
        return counts[1] > 0 ? -1 : counts[0];
    }

    private Outcome dropLocked(Connection conn, Partition partition, Remaining remaining) throws SQLException {
        JdbcTemplate.update(conn, "LOCK TABLE ONLY " + table + " IN ACCESS EXCLUSIVE MODE");
        if (!catalog.isAttached(conn, partition)) {
            return Outcome.GONE;
        }
        JdbcTemplate.update(conn, "LOCK TABLE ONLY " + partition.name() + " IN ACCESS EXCLUSIVE MODE");
        // Everybody waits: an answer through an index, or none because it is not there, is worth more than the cheapest
        // plan.
        JdbcTemplate.update(conn, "SET LOCAL enable_seqscan = off");
        if (remaining.isIn(conn, partition)) {
            return Outcome.KEPT;
        }
        JdbcTemplate.update(conn, "DROP TABLE " + partition.name());
        return Outcome.DROPPED;
    }

    /** The rows for which a partition stays, each kind found through an index. */
    private record Remaining(List<String> conditions, List<Object> params) {

        static final Remaining ANY = new Remaining(List.of("TRUE"), List.of());

        static Remaining of(Expiry expiry) {
            List<String> conditions = new ArrayList<>(List.of("status IN (0, 2)"));
            List<Object> params = new ArrayList<>();
            addYoung(conditions, params, 1, expiry.doneBefore());
            if (expiry.deadBefore() == null) {
                conditions.add("status = 3");
            } else {
                conditions.add("status = 3 AND locked_by = '" + OrderedStore.KEY_HELD + "'");
                addYoung(conditions, params, 3, expiry.deadBefore());
            }
            return new Remaining(conditions, params);
        }

        private static void addYoung(List<String> conditions, List<Object> params, int status, Instant before) {
            conditions.add("status = " + status + " AND done_at >= ?");
            conditions.add("status = " + status + " AND done_at IS NULL AND created_at >= ?");
            params.add(before);
            params.add(before);
        }

        boolean isIn(Connection conn, Partition partition) throws SQLException {
            String exists = "EXISTS (SELECT 1 FROM " + partition.name() + " WHERE ";
            String sql = "SELECT " + exists + String.join(") OR " + exists, conditions) + ")";
            return JdbcTemplate.query(conn, sql, row -> row.getBoolean(1), params.toArray())
                    .get(0);
        }
    }
}
