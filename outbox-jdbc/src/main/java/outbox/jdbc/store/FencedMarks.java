package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import outbox.internal.text.ErrorText;
import outbox.internal.text.RowWords;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.EventIds;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.LeaseStore.Postponed;

/**
 * Records the outcomes of events as long as their owner has the leases, and gives leases back. A mark returns the events for which it came too
 * late.
 */
final class FencedMarks {

    /** The condition of events whose lease an owner has; with the owner. */
    static final String LEASED = " AND locked_by = ? AND " + EventTable.PENDING;

    private static final String FREED = "locked_by = NULL, locked_at = NULL";

    private static final String RETRY = """
            UPDATE %1$s SET status = 2, attempts = ?, available_at = %2$s, last_error = ?, %3$s \
            WHERE event_id = ?%4$s""";

    private static final String POSTPONE = """
            UPDATE %1$s SET status = 2, available_at = %2$s, last_error = ?, %3$s WHERE event_id = ?%4$s""";

    private static final String DEAD = """
            UPDATE %1$s SET status = 3, done_at = %2$s, last_error = COALESCE(?, last_error, '%3$s'), \
            locked_by = ?, locked_at = NULL WHERE event_id = ?%4$s""";

    /** What the text of a retry says of the error, where a row goes on to say that it is superseded. */
    private static final String UNLESS_OUTDATED =
            "CASE WHEN last_error LIKE '" + RowWords.OUTDATED + "%' THEN last_error ELSE ? END";

    private static final String SUPERSEDED = """
            UPDATE %1$s SET status = 1, done_at = %2$s, last_error = ?, %3$s WHERE event_id = ?%4$s""";

    private final EventTable table;
    private final String superseded;
    private final String retryUnlessOutdated;
    private final String done;
    private final String doneAndCleared;
    private final String release;
    private final String existing;
    private final String retry;
    private final String postpone;
    private final String dead;

    FencedMarks(EventTable table, DatabaseTime time) {
        this.table = table;
        this.superseded = String.format(Locale.ROOT, SUPERSEDED, table.name(), time.now(), FREED, LEASED);
        this.done = "UPDATE " + table.byPrimaryKey() + " SET status = 1, done_at = ?, " + FREED + " WHERE ";
        this.doneAndCleared = done.replace(FREED, Marks.NO_ERROR + FREED);
        this.release = "UPDATE " + table.byPrimaryKey() + " SET " + FREED + " WHERE ";
        this.existing = "SELECT event_id FROM " + table.name() + " WHERE ";
        this.retry = String.format(Locale.ROOT, RETRY, table.name(), time.nowPlusMicros(), FREED, LEASED);
        this.retryUnlessOutdated = retry.replace("last_error = ?", "last_error = " + UNLESS_OUTDATED);
        this.postpone = String.format(Locale.ROOT, POSTPONE, table.name(), time.nowPlusMicros(), FREED, LEASED);
        this.dead = String.format(Locale.ROOT, DEAD, table.name(), time.now(), LeaseStore.USED_UP, LEASED);
    }

    /** Changes those events of a group whose lease the owner has, and returns how many. */
    @FunctionalInterface
    private interface Change {
        int apply(EventIds ids) throws SQLException;
    }

    /** Finds those of a group that were not changed. */
    @FunctionalInterface
    private interface Late {
        List<String> find(EventIds ids) throws SQLException;
    }

    Set<String> markDone(Connection conn, String ownerId, List<String> eventIds) {
        // By this value the rows are recognised that were marked here, if not all could be.
        Object doneAt = table.at(Instant.now().truncatedTo(ChronoUnit.MICROS));
        return end(
                "mark " + eventIds.size() + " event(s) DONE",
                conn,
                eventIds,
                ids -> update(
                        conn,
                        (table.clearsErrors() ? doneAndCleared : done) + ids.condition() + LEASED,
                        ids.paramsBetween(doneAt, ownerId)),
                ids -> {
                    String select = existing + ids.condition() + " AND status = 1 AND done_at = ?";
                    Set<String> marked = new HashSet<>(
                            JdbcTemplate.query(conn, select, row -> row.getString(1), ids.paramsBefore(doneAt)));
                    return eventIds.stream().filter(id -> !marked.contains(id)).toList();
                });
    }

    /** One that is gone may have been deleted by another owner; that cannot be told any more. */
    Set<String> delete(Connection conn, String ownerId, List<String> eventIds) {
        return end(
                "delete " + eventIds.size() + " delivered event(s)",
                conn,
                eventIds,
                ids -> update(conn, table.delete(ids.condition() + LEASED, eventIds.size()), ids.paramsBefore(ownerId)),
                ids -> JdbcTemplate.query(
                        conn,
                        existing + ids.condition(),
                        row -> row.getString(1),
                        ids.params().toArray()));
    }

    private Set<String> end(String what, Connection conn, List<String> eventIds, Change change, Late late) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        EventIds ids = table.ids(eventIds);
        return new LinkedHashSet<>(
                table.change(what, conn, () -> change.apply(ids) == eventIds.size() ? List.of() : late.find(ids)));
    }

    private int update(Connection conn, String sql, Object[] params) throws SQLException {
        return JdbcTemplate.updateWithin(table.markSeconds(), conn, sql, params);
    }

    /** Returns how many leases the owner had. */
    int release(Connection conn, String ownerId, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        EventIds ids = table.ids(eventIds);
        return table.change(
                "release " + eventIds.size() + " event(s)",
                conn,
                () -> JdbcTemplate.update(conn, release + ids.condition() + LEASED, ids.paramsBefore(ownerId)));
    }

    Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return markRetry(conn, ownerId, retries, retry);
    }

    /** A row that says that it is superseded goes on to say so. */
    Set<String> markOutdatedRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return markRetry(conn, ownerId, retries, retryUnlessOutdated);
    }

    private Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries, String sql) {
        return markEach(
                "mark " + retries.size() + " event(s) RETRY",
                conn,
                sql,
                retries.stream().map(HeldRetry::eventId).toList(),
                retries.stream()
                        .map(event -> new Object[] {
                            event.attempts(),
                            EventTable.micros(event.delay()),
                            ErrorText.limit(event.error()),
                            event.eventId(),
                            ownerId
                        })
                        .toList());
    }

    Set<String> postpone(Connection conn, String ownerId, List<Postponed> suspects) {
        return markEach(
                "postpone " + suspects.size() + " event(s)",
                conn,
                postpone,
                suspects.stream().map(Postponed::eventId).toList(),
                suspects.stream()
                        .map(event -> new Object[] {
                            EventTable.micros(event.delay()), RowWords.waits(event.crashes()), event.eventId(), ownerId
                        })
                        .toList());
    }

    Set<String> markSuperseded(Connection conn, String ownerId, List<String> eventIds) {
        return markEach(
                "mark " + eventIds.size() + " superseded event(s) DONE",
                conn,
                superseded,
                eventIds,
                eventIds.stream()
                        .map(id -> new Object[] {RowWords.superseded(), id, ownerId})
                        .toList());
    }

    Set<String> markDead(Connection conn, String ownerId, List<HeldDead> events) {
        return markEach(
                "mark " + events.size() + " event(s) DEAD",
                conn,
                dead,
                events.stream().map(HeldDead::eventId).toList(),
                events.stream()
                        .map(event -> new Object[] {
                            event.error() == null ? null : ErrorText.limit(event.error()),
                            event.holdsKey() ? RowWords.HOLDS_KEY : null,
                            event.eventId(),
                            ownerId
                        })
                        .toList());
    }

    private Set<String> markEach(String what, Connection conn, String sql, List<String> eventIds, List<Object[]> rows) {
        // In one transaction, so that nothing of it was done yet if it is repeated.
        int[] counts = table.change(
                what,
                conn,
                () -> ShortTransaction.atomically(
                        conn,
                        transaction ->
                                JdbcTemplate.batchUpdateCountsWithin(table.markSeconds(), transaction, sql, rows)));
        Set<String> tooLate = new LinkedHashSet<>();
        for (int i = 0; i < counts.length; i++) {
            // A driver that does not tell has at least not failed.
            if (counts[i] == 0) {
                tooLate.add(eventIds.get(i));
            }
        }
        return tooLate;
    }
}
