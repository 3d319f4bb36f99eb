package outbox.internal.transaction;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a database means by an exception. Recognised by class, SQLState and error code, never by the message, which differs between
 * versions, languages and drivers.
 */
public enum DatabaseFailure {

    /** It cannot be reached, is starting or going down, or has run out of connections, memory or disk. */
    AWAY,
    /** It answers but does not write: a replica, a primary during a fail-over, or one that was switched to read-only. */
    READ_ONLY,
    /** It rolled the work back in favour of another transaction: a deadlock or a failed serialization. Worth repeating at once. */
    ROLLED_BACK,
    /** It gave up waiting for a row that another transaction has locked, or the statement was cancelled because that took too long. */
    LOCKED,
    /** It refused this work, or the failure does not come from a database. */
    REFUSED;

    /** Ends the search even if a chain of causes is circular. */
    static final int DEEPEST_CAUSE = 100;

    private static final Set<String> READ_ONLY_STATES = Set.of("25006");
    /**
     * MySQL and MariaDB: an option such as --read-only forbids it, read-only mode, a read-only transaction. H2 and SQLite: the database is
     * read-only.
     */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1836, 1792, 90097, 8);

    /** MySQL's driver itself uses it for a connection that is set to read-only, and for much else. */
    private static final String MYSQL_DRIVER_REFUSES = "S1009";

    /** In the class of rollbacks, but the work may have been committed: treated like a lost connection. */
    private static final String OUTCOME_UNKNOWN = "40003";

    /** Connections, resources. */
    private static final Set<String> AWAY_CLASSES = Set.of("08", "53");
    /** PostgreSQL ends a session because of a shutdown, a crash or an idle timeout. */
    private static final Set<String> AWAY_STATES =
            Set.of("57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", OUTCOME_UNKNOWN);
    /** MySQL and MariaDB: disk full, too many connections, out of memory, shutting down. H2: the database is closed or closing. */
    private static final Set<Integer> AWAY_CODES = Set.of(1021, 1040, 1041, 1053, 90067, 90098, 90121);

    /** PostgreSQL: lock not available, statement cancelled. H2's and MySQL's own timeouts. */
    private static final Set<String> LOCKED_STATES = Set.of("55P03", "57014", "HYT00", "70100");
    /**
     * MySQL and MariaDB: lock wait timeout (which MySQL's driver reports with the state of a deadlock), NOWAIT, statement timeouts. H2's
     * and SQLite's.
     */
    private static final Set<Integer> LOCKED_CODES = Set.of(1205, 1317, 1969, 3024, 3572, 50200, 5);

    /** PostgreSQL's driver and server; MySQL's driver. */
    private static final Set<String> OUT_OF_MEMORY_STATES = Set.of("53200", "HY001");

    private static final String ROLLED_BACK_CLASS = "40";
    /** MySQL and MariaDB: deadlock, "record has changed since last read". H2: two transactions changed the same row. */
    private static final Set<Integer> ROLLED_BACK_CODES = Set.of(1213, 1020, 90131);

    /** The meaning of the first database exception in the chain of causes that has one; {@link #REFUSED} if there is none. */
    public static DatabaseFailure of(@Nullable Throwable failure) {
        SQLException said = firstWithMeaning(failure);
        return said == null ? REFUSED : meaningOf(said);
    }

    /**
     * Whether there was no memory for what was read, in this process or on the server. Drivers may wrap the error or report it in their
     * own way.
     */
    public static boolean isOutOfMemory(@Nullable Throwable failure) {
        Throwable e = failure;
        for (int depth = 0; e != null && depth < DEEPEST_CAUSE; depth++, e = e.getCause()) {
            if (e instanceof OutOfMemoryError || (e instanceof SQLException sql && isOutOfMemory(sql))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOutOfMemory(SQLException e) {
        return e.getSQLState() != null && OUT_OF_MEMORY_STATES.contains(e.getSQLState());
    }

    private static @Nullable SQLException firstWithMeaning(@Nullable Throwable failure) {
        Throwable e = failure;
        for (int depth = 0; e != null && depth < DEEPEST_CAUSE; depth++, e = e.getCause()) {
            if (e instanceof SQLException sql && hasMeaning(sql)) {
                return sql;
            }
        }
        return null;
    }

    /** For the batch of a statement that was cancelled MySQL's driver gives neither state nor code; the class of the cause tells. */
    private static boolean hasMeaning(SQLException e) {
        return e.getSQLState() != null || e.getErrorCode() != 0 || meaningOf(e) != REFUSED;
    }

    private static DatabaseFailure meaningOf(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        int code = e.getErrorCode();
        if (READ_ONLY_STATES.contains(state) || READ_ONLY_CODES.contains(code)) {
            return READ_ONLY;
        }
        if (LOCKED_STATES.contains(state) || LOCKED_CODES.contains(code) || e instanceof SQLTimeoutException) {
            return LOCKED;
        }
        if ((state.startsWith(ROLLED_BACK_CLASS) && !state.equals(OUTCOME_UNKNOWN))
                || ROLLED_BACK_CODES.contains(code)) {
            return ROLLED_BACK;
        }
        return isAway(e, state, code) ? AWAY : REFUSED;
    }

    private static boolean isAway(SQLException e, String state, int code) {
        return (state.length() >= 2 && AWAY_CLASSES.contains(state.substring(0, 2)))
                || AWAY_STATES.contains(state)
                || AWAY_CODES.contains(code)
                || e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException;
    }

    /**
     * Whether the failure may come from a connection that is set to read-only. A server says so; MySQL's driver, which does not ask the
     * server, only says that something is not allowed.
     */
    static boolean maySayThatConnectionIsReadOnly(Throwable failure) {
        SQLException said = firstWithMeaning(failure);
        return said != null && (meaningOf(said) == READ_ONLY || MYSQL_DRIVER_REFUSES.equals(said.getSQLState()));
    }

    /** Whether the same work will succeed once the database has recovered: nothing is wrong with the work. */
    public boolean isOutage() {
        return this == AWAY || this == READ_ONLY || this == ROLLED_BACK;
    }
}
