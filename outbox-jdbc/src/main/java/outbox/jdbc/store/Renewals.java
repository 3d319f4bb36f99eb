package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Calendar;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Locking;

/** Renews leases. */
final class Renewals {

    private static final String UNLOCKED = """
            WITH unlocked AS (SELECT event_id FROM %1$s WHERE %2$s%3$s%4$s) \
            UPDATE %1$s AS event SET locked_at = %5$s \
            FROM unlocked WHERE event.event_id = unlocked.event_id RETURNING event.event_id""";

    private final EventTable table;
    private final DatabaseTime time;
    private final Locking locking;

    Renewals(EventTable table, DatabaseTime time) {
        this.table = table;
        this.time = time;
        this.locking = table.dialect().locking();
    }

    Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return table.change("renew " + eventIds.size() + " lease(s)", conn, () -> {
            if (!locking.claimsSkipLocked(conn.getMetaData())) {
                return renewAll(conn, ownerId, eventIds);
            }
            return table.dialect().capabilities().updatesReturning()
                    ? renewUnlocked(conn, ownerId, eventIds)
                    : ShortTransaction.atomically(
                            conn, transaction -> renewWhatCanBeLocked(transaction, ownerId, eventIds));
        });
    }

    /**
     * Waits for nobody. The rows of a group of outcomes that is being recorded are locked, and its next one may be among those that the
     * renewal has locked already: each would wait for the other until the server ends one of them. And one row that is locked by a process
     * which stands still must not keep all other leases from being renewed.
     */
    private Set<String> renewUnlocked(Connection conn, String ownerId, Collection<String> eventIds)
            throws SQLException {
        EventIds ids = table.ids(eventIds);
        String update = String.format(
                Locale.ROOT,
                UNLOCKED,
                table.name(),
                ids.condition(),
                FencedMarks.LEASED,
                locking.forUpdateSkipLocked(),
                time.now());
        return new HashSet<>(
                JdbcTemplate.updateReturning(conn, update, row -> row.getString(1), ids.paramsBefore(ownerId)));
    }

    /** As {@link #renewUnlocked}, where an update does not tell which rows it has changed. */
    private Set<String> renewWhatCanBeLocked(Connection conn, String ownerId, Collection<String> eventIds)
            throws SQLException {
        Set<String> locked = heldBy(conn, ownerId, eventIds, locking.claim(conn));
        if (!locked.isEmpty()) {
            EventIds ids = table.ids(locked);
            JdbcTemplate.update(conn, renewal(ids), ids.params().toArray());
        }
        return locked;
    }

    private Set<String> renewAll(Connection conn, String ownerId, Collection<String> eventIds) throws SQLException {
        EventIds ids = table.ids(eventIds);
        return JdbcTemplate.update(conn, renewal(ids) + FencedMarks.LEASED, ids.paramsBefore(ownerId))
                        == eventIds.size()
                ? new HashSet<>(eventIds)
                : heldBy(conn, ownerId, eventIds, "");
    }

    private String renewal(EventIds ids) {
        return "UPDATE " + table.byPrimaryKey() + " SET locked_at = " + time.now() + " WHERE " + ids.condition();
    }

    private Set<String> heldBy(Connection conn, String ownerId, Collection<String> eventIds, String lockClause)
            throws SQLException {
        EventIds ids = table.ids(eventIds);
        String select = "SELECT event_id FROM " + table.byPrimaryKey() + " WHERE " + ids.condition()
                + FencedMarks.LEASED + lockClause;
        return new HashSet<>(JdbcTemplate.query(conn, select, row -> row.getString(1), ids.paramsBefore(ownerId)));
    }

    /** A plain read: it sees what is committed, and waits for nobody. */
    Set<String> held(Connection conn, String ownerId, Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? Set.of()
                : table.run("look for " + eventIds.size() + " event(s)", () -> heldBy(conn, ownerId, eventIds, ""));
    }

    /** When the leases of those were taken or renewed that are still held, in microseconds. */
    Map<String, Long> leasedAt(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Map.of();
        }
        return table.run("look for " + eventIds.size() + " lease(s)", () -> {
            EventIds ids = table.ids(eventIds);
            String select = "SELECT event_id, locked_at FROM " + table.byPrimaryKey() + " WHERE " + ids.condition()
                    + FencedMarks.LEASED;
            Calendar utc = JdbcTemplate.utcCalendar();
            Map<String, Long> times = new HashMap<>();
            JdbcTemplate.query(
                    conn,
                    select,
                    row -> {
                        Instant at = table.dialect().binding().readTime(row, 2, utc);
                        if (at != null) {
                            times.put(row.getString(1), ChronoUnit.MICROS.between(Instant.EPOCH, at));
                        }
                        return true;
                    },
                    ids.paramsBefore(ownerId));
            return times;
        });
    }

    /** Those that a renewal may have passed over; nobody knows of any where it waits. */
    Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return table.run(
                "look for " + eventIds.size() + " lease(s)",
                () -> locking.claimsSkipLocked(conn.getMetaData()) ? heldBy(conn, ownerId, eventIds, "") : Set.of());
    }
}
