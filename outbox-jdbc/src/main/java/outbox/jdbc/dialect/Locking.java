package outbox.jdbc.dialect;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** How rows are locked, and who waits for whom. */
public interface Locking {

    /** Rows are locked, and waited for. */
    Locking STANDARD = new Locking() {};

    /** What stands behind a query that locks its rows; empty for a database that has no such clause. */
    default String forUpdate() {
        return " FOR UPDATE";
    }

    /** What stands behind a query that locks its rows and passes over those that others have locked. */
    default String forUpdateSkipLocked() {
        return forUpdate() + " SKIP LOCKED";
    }

    /** Whether the database understands {@link #forUpdateSkipLocked()}. By default not: then who wants a locked row waits for it. */
    default boolean knowsSkipLocked(DatabaseMetaData database) throws SQLException {
        return false;
    }

    /** Whether claims and renewals pass over locked rows. By default if the database can. */
    default boolean claimsSkipLocked(DatabaseMetaData database) throws SQLException {
        return knowsSkipLocked(database);
    }

    /**
     * How rows are locked that are about to be taken. Those that are locked already are left to others where the database can do that: who
     * has locked them may have been stopped in the middle of its transaction, and be waited for as long as it stands still.
     */
    default String claim(Connection conn) throws SQLException {
        return claimsSkipLocked(conn.getMetaData()) ? forUpdateSkipLocked() : forUpdate();
    }

    /**
     * What stands behind a query that must see what was committed a moment ago. By default nothing, which is right for READ COMMITTED.
     */
    default String currentRead() {
        return "";
    }

    /**
     * Whether a statement can be given a limit of time at no cost, neither another statement nor a setting of the session. By default not,
     * which is right for a database that does not let a statement wait for long.
     */
    default boolean limitsStatements() {
        return false;
    }
}
