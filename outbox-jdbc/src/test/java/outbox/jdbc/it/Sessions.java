package outbox.jdbc.it;

import javax.sql.DataSource;

/** Sessions as the server sees them. */
final class Sessions {

    private final TestedDatabase database;

    Sessions(TestedDatabase database) {
        this.database = database;
    }

    /** Whether a lock can be tied to a session here. */
    boolean canHoldLocks() {
        return database != TestedDatabase.H2;
    }

    /** The session behind a pool of one connection. */
    String of(DataSource poolOfOne) {
        return Tables.select(poolOfOne, "SELECT " + idFunction()).get(0);
    }

    private String idFunction() {
        if (database == TestedDatabase.H2) {
            return "SESSION_ID()";
        }
        return database == TestedDatabase.POSTGRESQL ? "pg_backend_pid()" : "CONNECTION_ID()";
    }

    /** Ends a session from outside. On MySQL and MariaDB it may live on for a moment. */
    void kill(String id) {
        if (database == TestedDatabase.POSTGRESQL) {
            Tables.select(database.pool(), "SELECT pg_terminate_backend(" + id + ", 10000)");
        } else {
            Tables.execute(database.pool(), "KILL " + id);
        }
    }
}
