package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.RowWords;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Locking;

/**
 * Puts off due events that must wait for an earlier one of their key, so that no claim reads them again and again, and brings them back. The
 * reason lies in the table: the earlier event is not due for a while, or is DEAD and holds its key.
 *
 * <p>Who puts events off commits that and then looks at their keys again; who lets a key go on commits that and then brings its events back.
 * So at least one of the two sees what the other one did. Should it die before that, nothing is lost: parked events fall due again by
 * themselves.
 */
final class Parking {

    private static final Duration SHORTEST = Duration.ofSeconds(10);
    private static final Duration SHORTEST_OF_HELD = Duration.ofSeconds(30);

    /** Should nobody bring the events back, they are late by no more than that. */
    private static final Duration LONGEST = Duration.ofMinutes(30);

    private final EventTable table;
    private final Locking locking;
    private final String free;
    private final String park;
    private final String bringBack;

    Parking(EventTable table, DatabaseTime time) {
        this.table = table;
        this.locking = table.dialect().locking();
        this.free = "SELECT event_id FROM " + table.byPrimaryKey() + " WHERE ";
        this.park = "UPDATE " + table.byPrimaryKey() + " SET locked_by = '" + RowWords.PARKED + "', available_at = "
                + time.nowPlusMicros() + " WHERE ";
        this.bringBack =
                "UPDATE " + table.byPrimaryKey() + " SET locked_by = NULL, available_at = " + time.now() + " WHERE ";
    }

    /**
     * For how long an event is put off. In steps, so that events of many keys are put off together; never beyond the end of the obstacle.
     *
     * @param createdAt when the event was made
     */
    static Duration time(KeyLines.Obstacle obstacle, @Nullable Instant createdAt) {
        Duration lasts = obstacle.lasts() != null ? obstacle.lasts() : halfOfAge(obstacle.askedAt(), createdAt);
        Duration longest = lasts.compareTo(LONGEST) > 0 ? LONGEST : lasts;
        Duration step = SHORTEST;
        while (step.multipliedBy(2).compareTo(longest) <= 0) {
            step = step.multipliedBy(2);
        }
        return step;
    }

    private static Duration halfOfAge(Instant now, @Nullable Instant createdAt) {
        Duration half = createdAt == null
                ? Duration.ZERO
                : Duration.between(createdAt, now).dividedBy(2);
        return half.compareTo(SHORTEST_OF_HELD) < 0 ? SHORTEST_OF_HELD : half;
    }

    /** Puts off those of the events that nobody has leased or locked. */
    void park(Connection conn, Collection<String> eventIds, Duration time) throws SQLException {
        ShortTransaction.atomically(conn, transaction -> {
            List<String> locked = lock(transaction, eventIds, " AND locked_at IS NULL AND " + EventTable.PENDING);
            if (!locked.isEmpty()) {
                EventIds ids = table.ids(locked);
                JdbcTemplate.update(transaction, park + ids.condition(), ids.paramsAfter(EventTable.micros(time)));
            }
            return locked.size();
        });
    }

    /** Lets those of the events be found at once that are put off. Returns how many there were. */
    int bringBack(Connection conn, Collection<String> eventIds) throws SQLException {
        return ShortTransaction.atomically(conn, transaction -> {
            List<String> locked = lock(
                    transaction,
                    eventIds,
                    " AND locked_by = '" + RowWords.PARKED + "' AND locked_at IS NULL AND " + EventTable.PENDING);
            if (!locked.isEmpty()) {
                EventIds ids = table.ids(locked);
                JdbcTemplate.update(
                        transaction, bringBack + ids.condition(), ids.params().toArray());
            }
            return locked.size();
        });
    }

    private List<String> lock(Connection conn, Collection<String> eventIds, String condition) throws SQLException {
        EventIds ids = table.ids(eventIds);
        return JdbcTemplate.query(
                conn,
                free + ids.condition() + condition + locking.claim(conn),
                row -> row.getString(1),
                ids.params().toArray());
    }
}
