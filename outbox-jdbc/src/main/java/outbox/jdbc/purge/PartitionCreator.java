package outbox.jdbc.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.ConnectionProvider;

/**
 * Creates the partition of now and some ahead.
 *
 * <p>A partition is made as a table of its own and then attached: unlike a table that is created as a partition, this lets business
 * transactions go on that have written events. Only the default partition is locked, because the database looks into it for events of the
 * new range. If there are any, for instance because nobody created partitions in time, they stay where they are: the new partition begins
 * behind them. Nothing is moved.
 */
final class PartitionCreator {

    private static final Logger LOG = SafeLog.of(PartitionCreator.class);
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("'_p'yyyyMMddHHmm", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Duration HEADWAY = Duration.ofMinutes(1);
    private static final String CHECK_VIOLATION = "23514";

    /** How often a partition is tried anew because events came into its range while it was being attached. */
    private static final int TRIES = 3;

    private final TableName table;
    private final PartitionCatalog catalog;
    private final ShortLocks locks;
    private final Duration length;
    private final int ahead;
    private final Clock clock;

    PartitionCreator(PostgresPartitionPurger.Builder settings, ShortLocks locks) {
        this.table = settings.table;
        this.catalog = new PartitionCatalog(table);
        this.locks = locks;
        this.length = settings.partitionLength;
        this.ahead = settings.partitionsAhead;
        this.clock = settings.clock;
    }

    /** Creates what is missing; false if others held locks for too long, so that it is worth another try. */
    boolean createAhead(ConnectionProvider connections) throws SQLException {
        TimeRange current = TimeRange.around(clock.instant(), length);
        for (int i = 0; i <= ahead; i++) {
            if (!create(connections, current.following(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean create(ConnectionProvider connections, TimeRange wanted) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return locks.run(connections, conn -> create(conn, wanted)) != null;
            } catch (SQLException e) {
                if (tries == TRIES || !CHECK_VIOLATION.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
    }

    /** The result says nothing; it only must not be null. */
    private boolean create(Connection conn, TimeRange wanted) throws SQLException {
        if (!isAlone(conn)) {
            return true;
        }
        List<Partition> existing = catalog.partitions(conn);
        TimeRange free = behindEvents(conn, behindPartitions(wanted, existing), existing);
        if (free.isEmpty()) {
            return true;
        }
        String name = catalog.schema(conn) + "." + TableName.of(table.table()).beside(NAME.format(free.from()));
        JdbcTemplate.update(
                conn,
                "CREATE TABLE " + name + " (LIKE " + table
                        + " INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (fillfactor = 50)");
        JdbcTemplate.update(
                conn,
                "ALTER TABLE " + table + " ATTACH PARTITION " + name + " FOR VALUES FROM ('"
                        + UlidTime.prefix(free.from()) + "') TO ('" + UlidTime.prefix(free.to()) + "')");
        LOG.log(Level.INFO, "Created partition {0} for events from {1} to {2}", name, free.from(), free.to());
        return true;
    }

    /** Another process that is at it creates the same. */
    private boolean isAlone(Connection conn) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT pg_try_advisory_xact_lock(hashtextextended('outbox partitions ' ||"
                                + " CAST(CAST(CAST(? AS regclass) AS oid) AS text), 0))",
                        row -> row.getBoolean(1),
                        table.toString())
                .get(0);
    }

    /** There may be partitions of another length. */
    private static TimeRange behindPartitions(TimeRange wanted, List<Partition> existing) {
        TimeRange free = wanted;
        for (Partition partition : existing) {
            TimeRange taken = partition.range();
            if (taken != null && taken.overlaps(wanted)) {
                free = free.since(taken.to());
            }
        }
        return free;
    }

    private TimeRange behindEvents(Connection conn, TimeRange wanted, List<Partition> existing) throws SQLException {
        for (Partition partition : existing) {
            String last = partition.isDefault() && !wanted.isEmpty() ? lastEvent(conn, partition, wanted) : null;
            if (last != null) {
                return behindEvent(last, wanted);
            }
        }
        return wanted;
    }

    private static @Nullable String lastEvent(Connection conn, Partition partition, TimeRange range)
            throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT event_id FROM " + partition.name()
                                + " WHERE event_id >= ? AND event_id < ? ORDER BY event_id DESC LIMIT 1",
                        row -> row.getString(1),
                        UlidTime.prefix(range.from()),
                        UlidTime.prefix(range.to()))
                .stream()
                .findFirst()
                .orElse(null);
    }

    /** More events are being written right now: the partition must begin in the future. */
    private TimeRange behindEvent(String eventId, TimeRange wanted) {
        Instant written = UlidTime.of(eventId);
        Instant now = clock.instant();
        Instant latest = written == null || written.isBefore(now) ? now : written;
        TimeRange free = wanted.since(
                latest.plus(HEADWAY).truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES));
        return written == null ? new TimeRange(wanted.to(), wanted.to()) : free;
    }
}
