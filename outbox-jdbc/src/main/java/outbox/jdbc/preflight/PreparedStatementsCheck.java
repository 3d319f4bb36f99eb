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

    /** How the driver calls what it prepares; a proxy that keeps track of statements calls them otherwise. */
    private static final String DRIVERS_NAME = "S_";

    /** A statement of that name is there already, or is not there: another client has prepared or forgotten it in this session. */
    private static final Set<String> COLLISIONS = Set.of("42P05", "26000");

    /** Ends the search even if a chain of causes is circular. */
    private static final int DEEPEST_CAUSE = 100;

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
            int session = session(conn, sessionSql);
            if (session == told || isTrackedByProxy(conn)) {
                return; // without a proxy, or with one that knows what was prepared where
            }
            lookBesideAnother(trial, new SessionWatch(trial, sessionSql, session), message(threshold));
        } catch (SQLException e) {
            if (!isCollision(e)) {
                throw e;
            }
            trial.refuse(message(threshold));
        }
    }

    /**
     * Whether two clients have used one session for statements of the same name: what this check warns of has happened already. A later failure in
     * the same transaction has that one as its cause.
     */
    static boolean isCollision(SQLException failure) {
        Throwable e = failure;
        for (int depth = 0; e != null && depth < DEEPEST_CAUSE; depth++, e = e.getCause()) {
            if (e instanceof SQLException said
                    && said.getSQLState() != null
                    && COLLISIONS.contains(said.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    static String message(@Nullable Integer threshold) {
        return "A proxy such as PgBouncer in transaction mode gives each transaction another session of the server, but the driver"
                + " prepares statements in one session"
                + (threshold == null ? "" : " (prepareThreshold is " + threshold + ")")
                + ": later they are missing or mean something else, and a commit may not be one, whoever writes it."
                + " Set prepareThreshold=0 in the JDBC URL of all data sources that go through the proxy, or max_prepared_statements in"
                + " PgBouncer 1.21 or newer";
    }

    private static void lookBesideAnother(Trial trial, SessionWatch watch, String message) throws SQLException {
        OptionalInt size = trial.work().connections().maxConnections();
        if (size.isPresent() && size.getAsInt() == 1) {
            trial.warn("There is a proxy before the server, and with a pool of one connection its mode cannot be told. "
                    + message);
            return;
        }
        try (SecondConnection second = SecondConnection.of(trial.work().connections())) {
            Connection other = second.connection();
            if (other == null) {
                trial.warn(
                        "There is a proxy before the server, and its mode cannot be told: no second connection was to be"
                                + " had within " + SecondConnection.PATIENCE.toSeconds() + " s. " + message);
            } else if (watch.isShared(other)) {
                trial.refuse(message);
            }
        }
    }

    static int session(Connection conn, String sql) throws SQLException {
        return JdbcTemplate.query(conn, sql, row -> row.getInt(1)).get(0);
    }

    /** Prepares a statement that nobody else has, which asks under which name the server knows it; then forgets it there. */
    private static boolean isTrackedByProxy(Connection conn) throws SQLException {
        String sql = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%" + TrialText.newId() + "%'";
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            if (!ServerConnection.prepareAtOnce(statement)) {
                return true;
            }
            String name = ownName(statement);
            if (name == null || !name.startsWith(DRIVERS_NAME)) {
                return true;
            }
            try (Statement forget = conn.createStatement()) {
                forget.execute("DEALLOCATE \"" + name + "\"");
            }
            return false;
        }
    }

    private static @Nullable String ownName(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
