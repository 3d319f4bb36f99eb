package outbox.jdbc.dialect;

import org.jspecify.annotations.Nullable;

/** What a preflight asks a database about its surroundings. Each is a query, or null if there is nothing to ask; by default nothing. */
public interface Probes {

    /** Nothing is asked. */
    Probes NONE = new Probes() {};

    /**
     * Whether the server shows this user only some rows of a table; with the table's name as its parameter.
     */
    default @Nullable String rowSecurity() {
        return null;
    }

    /**
     * The policies that decide which rows of a table this user is shown; with the table's name as its parameter. Columns: the name, the name of
     * the table as their conditions know it, whether it lets rows through (otherwise it holds some back of those that others let through), the
     * command ({@code *} for all, {@code r}, {@code a}, {@code w}, {@code d} for SELECT, INSERT, UPDATE, DELETE), and the conditions of rows that
     * are there and of new ones, in SQL.
     */
    default @Nullable String rowPolicies() {
        return null;
    }

    /**
     * The storage engine of a table, if some of them know no transactions; with the schema (null for the current one) and the table's name as
     * parameters.
     */
    default @Nullable String engine() {
        return null;
    }

    /** Whether events in tables of that storage engine are rolled back with their transactions. */
    default boolean hasTransactions(String engine) {
        return true;
    }

    /**
     * The name and the seconds of each limit after which the server ends a connection that has not been used, as far as it applies to one on which
     * a relay lock is held; 0 for no limit.
     */
    default @Nullable String idleLimitsOfLocks() {
        return null;
    }

    /** As {@link #idleLimitsOfLocks()}, for a connection that listens. */
    default @Nullable String idleLimitsOfListeners() {
        return null;
    }

    /** A number by which the server knows the session of a connection. */
    default @Nullable String session() {
        return null;
    }

    /** Whether columns that compare every byte still take a text with spaces behind it for the same. */
    default boolean ignoresSpacesBehind() {
        return false;
    }
}
