package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;

/**
 * Whether a proxy gives each transaction another session of the server while the driver keeps statements, those of commits among them, in the
 * session where it has prepared them. Then a commit may end another transaction than it is meant to, or none.
 */
final class PreparedStatementsCheck implements PreflightCheck {

    static final String NAME = "prepared-statements";

    /** Another client may have been given the session first. */
    private static final int TRIES = 8;

    /** How the driver calls what it prepares; a proxy that keeps track of statements calls them otherwise. */
    private static final String DRIVERS_NAME = "S_";

    /** A statement of that name is there already, or is not there: another client has prepared or forgotten it in this session. */
    private static final Set<String> COLLISIONS = Set.of("42P05", "26000");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void look(Trial trial) throws SQLException {
        Connection conn = trial.connection();
        String sessionSql = trial.dialect().probes().session();
        Integer told = ServerConnection.processId(conn);
        Integer threshold = ServerConnection.prepareThreshold(conn);
        if (sessionSql == null || told == null || threshold == null || threshold == 0) {
            return;
        }
        try {
            if (session(conn, sessionSql) == told || isTrackedByProxy(conn)) {
                return; // without a proxy, or with one that knows what was prepared where
            }
            if (!hasSecondConnection(trial)) {
                trial.warn("There is a proxy before the server, and with a single connection its mode cannot be told. "
                        + message(threshold));
            } else if (isShared(trial, sessionSql)) {
                trial.refuse(message(threshold));
            }
        } catch (SQLException e) {
            if (!isCollision(e)) {
                throw e;
            }
            trial.refuse(message(threshold));
        }
    }

    /** Whether two clients have used one session for statements of the same name: what this check warns of has happened already. */
    static boolean isCollision(SQLException failure) {
        return COLLISIONS.contains(failure.getSQLState());
    }

    static String message(@Nullable Integer threshold) {
        return "A proxy such as PgBouncer in transaction mode gives each transaction another session of the server, but the driver"
                + " prepares statements in one session"
                + (threshold == null ? "" : " (prepareThreshold is " + threshold + ")")
                + ": later they are missing or mean something else, and a commit may not be one, whoever writes it."
                + " Set prepareThreshold=0 in the JDBC URL of all data sources that go through the proxy, or max_prepared_statements in"
                + " PgBouncer 1.21 or newer";
    }

    private static int session(Connection conn, String sql) throws SQLException {
        return JdbcTemplate.query(conn, sql, row -> row.getInt(1)).get(0);
    }

    /** Prepares a statement that nobody else has, and looks under which name the server knows it; then forgets it there. */
    private static boolean isTrackedByProxy(Connection conn) throws SQLException {
        String sql = "SELECT '" + TrialText.newId() + "'";
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            if (!ServerConnection.prepareAtOnce(statement)) {
                return true;
            }
            statement.executeQuery().close();
            String name = nameOf(conn, sql);
            if (name == null || !name.startsWith(DRIVERS_NAME)) {
                return true;
            }
            try (Statement forget = conn.createStatement()) {
                forget.execute("DEALLOCATE \"" + name + "\"");
            }
            return false;
        }
    }

    private static @Nullable String nameOf(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT name FROM pg_prepared_statements WHERE statement = '" + sql.replace("'", "''") + "'")) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    /** Two clients that are both connected can have the same session only from one transaction to the next. */
    private static boolean isShared(Trial trial, String sessionSql) throws SQLException {
        Connection mine = trial.connection();
        try (Connection other = trial.work().connections().getConnection()) {
            for (int i = 0; i < TRIES; i++) {
                trial.endTransaction();
                int session = session(mine, sessionSql);
                trial.endTransaction(); // the session that was used last is the first to be given to others
                if (session(other, sessionSql) == session) {
                    return true;
                }
                if (!other.getAutoCommit()) {
                    other.rollback();
                }
            }
        }
        return false;
    }

    /** To wait for one that never comes would hold up the start. */
    private static boolean hasSecondConnection(Trial trial) {
        OptionalInt size = trial.work().connections().maxConnections();
        return size.isPresent() && size.getAsInt() > 1;
    }
}
