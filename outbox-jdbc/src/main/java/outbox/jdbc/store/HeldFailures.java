package outbox.jdbc.store;

import java.sql.Connection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import outbox.internal.ErrorText;
import outbox.internal.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;
import outbox.spi.OrderedStore;

/** Marks failed events RETRY or DEAD as long as their owner holds them; returns those that came too late. */
final class HeldFailures {

    private static final String RETRY = """
            UPDATE %1$s SET status = 2, attempts = attempts + 1, available_at = %2$s, last_error = ?%3$s \
            WHERE event_id = ?%4$s""";

    private static final String DEAD = """
            UPDATE %1$s SET status = 3, done_at = %2$s, last_error = COALESCE(?, last_error, '%3$s'), \
            locked_by = ?, locked_at = NULL WHERE event_id = ?%4$s""";

    private final EventTable table;
    private final MarkLimit limit;
    private final String retry;
    private final String dead;

    HeldFailures(EventTable table, DatabaseTime time, MarkLimit limit) {
        this.table = table;
        this.limit = limit;
        this.retry = String.format(
                Locale.ROOT, RETRY, table.name(), time.nowPlusMicros(), LeaseSql.FREED, LeaseSql.HELD_WITH_ATTEMPTS);
        this.dead = String.format(
                Locale.ROOT, DEAD, table.name(), time.now(), LeaseStore.USED_UP, LeaseSql.HELD_WITH_ATTEMPTS);
    }

    Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return eachInABatch(
                "mark " + retries.size() + " event(s) RETRY",
                conn,
                retry,
                retries.stream().map(HeldRetry::held).toList(),
                retries.stream()
                        .map(event -> new Object[] {
                            LeaseSql.micros(event.delay()),
                            ErrorText.limit(event.error()),
                            event.held().eventId(),
                            event.held().attempts(),
                            ownerId
                        })
                        .toList());
    }

    Set<String> markDead(Connection conn, String ownerId, List<HeldDead> events) {
        return eachInABatch(
                "mark " + events.size() + " event(s) DEAD",
                conn,
                dead,
                events.stream().map(HeldDead::held).toList(),
                events.stream()
                        .map(event -> new Object[] {
                            event.error() == null ? null : ErrorText.limit(event.error()),
                            event.holdsKey() ? OrderedStore.KEY_HELD : null,
                            event.held().eventId(),
                            event.held().attempts(),
                            ownerId
                        })
                        .toList());
    }

    private Set<String> eachInABatch(String what, Connection conn, String sql, List<Held> events, List<Object[]> rows) {
        // In one transaction, so that nothing of it was done yet if it is repeated.
        int[] counts = table.change(
                what,
                conn,
                () -> ShortTransaction.atomically(
                        conn,
                        transaction -> JdbcTemplate.batchUpdateCountsWithin(limit.seconds(), transaction, sql, rows)));
        Set<String> late = new LinkedHashSet<>();
        for (int i = 0; i < counts.length; i++) {
            // A driver that does not tell has at least not failed.
            if (counts[i] == 0) {
                late.add(events.get(i).eventId());
            }
        }
        return late;
    }
}
