package outbox.jdbc.preflight;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;

/** How far the clocks of this process and of the database are apart. */
final class ClockCheck implements PreflightCheck {

    static final Duration TOLERATED = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "clock";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        DatabaseTime time = trial.dialect().time(trial.table());
        if (time == null || !trial.canUseTable()) {
            return;
        }
        Instant before = trial.work().clock().instant();
        List<Instant> answer = JdbcTemplate.query(
                trial.connection(),
                "SELECT " + time.now(),
                row -> Objects.requireNonNull(trial.dialect().binding().readTime(row, 1, JdbcTemplate.utcCalendar())));
        Instant after = trial.work().clock().instant();
        Duration apart = apart(before, answer.get(0), after);
        if (apart.compareTo(TOLERATED) > 0) {
            trial.warn(
                    "The clocks of this process and of the database are " + apart.toMillis() + " ms apart (tolerated: "
                            + TOLERATED.toMillis()
                            + " ms), so ages, lags and retention are wrong by as much, and without claim locking retries"
                            + " and delayed events are too early or too late: synchronize both with NTP");
        }
    }

    /** Zero if the answer lies within the question. */
    private static Duration apart(Instant before, Instant answer, Instant after) {
        if (answer.isBefore(before)) {
            return Duration.between(answer, before);
        }
        return answer.isAfter(after) ? Duration.between(after, answer) : Duration.ZERO;
    }
}
