package outbox.jdbc.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.internal.rows.EventRowMapper;

/**
 * The parts of statements that take events by the time of the database. An event that was never tried is due whatever its time of creation,
 * which came from the clock of some process.
 */
final class LeaseSql {

    /** What an owner holds; with the owner. */
    static final String HELD = " AND locked_by = ? AND " + EventTable.PENDING;

    /** What an owner holds and nobody has taken meanwhile; with the number of attempts and the owner. */
    static final String HELD_WITH_ATTEMPTS = " AND attempts = ?" + HELD;

    /** Assignments. */
    static final String FREED = ", locked_by = NULL, locked_at = NULL";

    /** So far ahead that no clock is: a condition on the time of creation leads H2 to the index that is sorted by it. */
    private static final long ANY_AGE = micros(Duration.ofDays(36_500));

    /** One row with a number that nobody counted must not keep all the others from being taken. */
    private static final String ATTEMPTS_WHEN_TAKEN = "CASE WHEN attempts < 0 THEN 0"
            + " WHEN locked_at IS NULL OR attempts = 2147483647 THEN attempts ELSE attempts + 1 END";

    /** What {@link EventRowMapper} reads of rows that {@link #takeOver()} is about to change. */
    private static final String COLUMNS_WHEN_TAKEN = EventRowMapper.COLUMNS.replace("attempts", ATTEMPTS_WHEN_TAKEN);

    private final DatabaseTime time;

    LeaseSql(DatabaseTime time) {
        this.time = time;
    }

    /** What may be taken: due and held by nobody, or by somebody who has not renewed it for too long. */
    Condition free(Duration timeout, Duration skipRecent) {
        return free("", timeout, skipRecent);
    }

    /** As {@link #free(Duration, Duration)}, for a table with an alias, which is followed by a dot. */
    Condition free(String alias, Duration timeout, Duration skipRecent) {
        String sql = "(#available_at <= " + time.now() + " OR #available_at = #created_at)"
                + " AND (#locked_at IS NULL OR #locked_at < " + time.nowPlusMicros() + ")"
                + " AND #created_at <= " + time.nowPlusMicros();
        return new Condition(
                sql.replace("#", alias),
                List.of(-micros(timeout), skipRecent.isZero() ? ANY_AGE : -micros(skipRecent)));
    }

    /** What an owner holds and has not left for too long. */
    Condition heldBy(String ownerId, String alias, Duration timeout) {
        String sql = "#locked_by = ? AND #locked_at >= " + time.nowPlusMicros();
        return new Condition(sql.replace("#", alias), List.of(ownerId, -micros(timeout)));
    }

    /**
     * Assignments, with the owner as their parameter. In this order: MySQL and MariaDB let the later assignments see what the earlier ones
     * have set.
     */
    private String takeOver() {
        return " SET attempts = " + ATTEMPTS_WHEN_TAKEN + ","
                + " last_error = CASE WHEN locked_at IS NULL THEN last_error"
                + " ELSE CONCAT('Lease expired, owner ', COALESCE(locked_by, 'unknown')) END,"
                + " locked_by = ?, locked_at = " + time.now();
    }

    /** How an owner takes what is free by the time of the database. */
    Claims.Taking taking(String ownerId, Duration timeout, Duration skipRecent) {
        Condition takeOver = new Condition(takeOver(), List.of(ownerId));
        return new Claims.Taking(free(timeout, skipRecent), takeOver, COLUMNS_WHEN_TAKEN, false);
    }

    static long micros(Duration duration) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(duration));
    }
}
