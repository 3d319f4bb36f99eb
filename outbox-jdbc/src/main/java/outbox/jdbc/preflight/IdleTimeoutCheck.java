package outbox.jdbc.preflight;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.Preflight;

/** Whether the server ends connections that the outbox keeps and seldom uses. */
final class IdleTimeoutCheck implements PreflightCheck {

    /** A lock is asked for every second, unless the process is held up. */
    private static final int LOCKS_NEED_SECONDS = 10;
    /** A listening connection is asked for after thirty silent seconds. */
    private static final int LISTENERS_NEED_SECONDS = 60;

    @Override
    public String name() {
        return "idle-timeout";
    }

    @Override
    public void look(Trial trial) throws SQLException {
        if (trial.needs(Preflight.Need.SINGLE_ACTIVE)) {
            look(
                    trial,
                    trial.dialect().probes().idleLimitsOfLocks(),
                    LOCKS_NEED_SECONDS,
                    "on which the active process holds its lock");
        }
        if (trial.needs(Preflight.Need.WAKE_UPS)) {
            look(
                    trial,
                    trial.dialect().probes().idleLimitsOfListeners(),
                    LISTENERS_NEED_SECONDS,
                    "that listens for wake-ups");
        }
    }

    private record Limit(String name, double seconds) {}

    private static void look(Trial trial, @Nullable String sql, int needed, String connection) throws SQLException {
        if (sql == null) {
            return;
        }
        for (Limit limit :
                JdbcTemplate.query(trial.connection(), sql, row -> new Limit(row.getString(1), row.getDouble(2)))) {
            if (limit.seconds > 0 && limit.seconds < needed) {
                trial.warn(limit.name + " is " + limit.seconds
                        + " s: after that time without a statement the server ends the connection "
                        + connection + ", and it has to begin anew: set it to " + needed
                        + " s or more for the data source of that connection");
            }
        }
    }
}
