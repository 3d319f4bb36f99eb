package outbox.proof.database;

import java.util.List;
import java.util.Locale;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.jdbc.store.MySqlOutboxStore;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.spi.OutboxStore;
import outbox.testservers.DatabaseServer;
import outbox.testservers.MariaDbServer;
import outbox.testservers.MySqlServer;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;

/** The databases that proofs run on. */
public enum DatabaseKind {
    POSTGRESQL("\u0000commit\u0000"),
    MYSQL("\u0003commit"),
    MARIADB("\u0003commit"),
    /** Only for plans that do nothing to its network or its rights. */
    H2("");

    private final String commit;

    DatabaseKind(String commit) {
        this.commit = commit;
    }

    /** The servers, which bear any fault. */
    public static List<DatabaseKind> forAnyFault() {
        return List.of(POSTGRESQL, MYSQL, MARIADB);
    }

    /** The name in options and reports, which is also that of the schema's script. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How the driver says it: not to be mixed up with a setting of autocommit, nor with the name of an isolation level. */
    public String commit() {
        return commit;
    }

    /** With what a driver needs to send each commit as text, and to leave a session read-only that the server has made so. */
    public TestDatabase withPlainDriver(TestDatabase database) {
        return switch (this) {
            case POSTGRESQL -> database.withParameter("prepareThreshold", "0");
            case MYSQL -> database.withParameter("readOnlyPropagatesToServer", "false");
            case MARIADB, H2 -> database;
        };
    }

    /** A server of its own, not started yet. */
    public DatabaseServer server(ServerSettings settings) {
        return switch (this) {
            case POSTGRESQL -> new PostgresServer(settings);
            // Alone among the three it watches itself by default, which takes a good part of the processor.
            case MYSQL -> new MySqlServer(settings.withOption("performance_schema", "OFF"));
            case MARIADB -> new MariaDbServer(settings);
            case H2 -> new H2Server(settings);
        };
    }

    /** How an outbox's table is used from outside of all processes. */
    public OutboxStore store(String table) {
        return switch (this) {
            case POSTGRESQL -> new PostgresOutboxStore(table);
            case MYSQL -> new MySqlOutboxStore(table);
            case MARIADB -> new MariaDbOutboxStore(table);
            case H2 -> new H2OutboxStore(table);
        };
    }

    /** So that a statement which must wait for somebody else's lock gives up before long. */
    String sessionSettings() {
        return switch (this) {
            case POSTGRESQL -> "SET statement_timeout = '2s'";
            case MYSQL -> "SET innodb_lock_wait_timeout = 2";
            case MARIADB -> "SET innodb_lock_wait_timeout = 2, max_statement_time = 2";
            case H2 -> "SET LOCK_TIMEOUT 2000";
        };
    }

    /** The statements that make the server refuse to write, or let it write again. */
    String[] readOnly(boolean now) {
        String value = now ? "ON" : "OFF";
        return switch (this) {
            case POSTGRESQL ->
                new String[] {"ALTER SYSTEM SET default_transaction_read_only = " + value, "SELECT pg_reload_conf()"};
            case MYSQL -> new String[] {"SET GLOBAL super_read_only = " + value, "SET GLOBAL read_only = " + value};
            case MARIADB -> new String[] {"SET GLOBAL read_only = " + value};
            case H2 -> throw new UnsupportedOperationException("H2 is not made read-only");
        };
    }

    /** Makes each new session of a user one that can never write, or one that can again; sessions stay what they are. */
    String readOnlySessions(String user, boolean now) {
        return switch (this) {
            case POSTGRESQL -> "ALTER ROLE " + user + (now ? " SET default_transaction_read_only = ON" : " RESET ALL");
            case MYSQL, MARIADB ->
                "SET GLOBAL init_connect = '" + (now ? "SET SESSION TRANSACTION READ ONLY" : "") + "'";
            case H2 -> throw new UnsupportedOperationException("sessions of H2 are not made read-only");
        };
    }

    /** The numbers of the sessions of the user of the name that follows. */
    String sessionsOf() {
        return switch (this) {
            case POSTGRESQL -> "SELECT pid FROM pg_stat_activity WHERE usename = ?";
            case MYSQL, MARIADB -> "SELECT id FROM information_schema.processlist WHERE user = ?";
            case H2 -> "SELECT session_id FROM information_schema.sessions WHERE user_name = upper(?)";
        };
    }

    /** What follows the name of a table whose rows are to be found by their primary key and in no other way. */
    public String byPrimaryKey() {
        return switch (this) {
            case MYSQL, MARIADB -> " FORCE INDEX (PRIMARY)";
            case POSTGRESQL, H2 -> "";
        };
    }

    /** Ends a session. */
    String killSession(long number) {
        return switch (this) {
            case POSTGRESQL -> "SELECT pg_terminate_backend(" + number + ")";
            case MYSQL, MARIADB -> "KILL " + number;
            case H2 -> "SELECT abort_session(" + number + ")";
        };
    }

    /** What a new database begins with: a user who may do nothing yet. */
    String[] preparation(String user) {
        return switch (this) {
            case POSTGRESQL ->
                new String[] {"DROP ROLE IF EXISTS " + user, "CREATE ROLE " + user + " LOGIN PASSWORD '" + user + "'"};
            case MYSQL, MARIADB ->
                new String[] {"CREATE USER IF NOT EXISTS '" + user + "'@'%' IDENTIFIED BY '" + user + "'"};
            case H2 -> // an administrator, because only such a one may say when commits are written
                new String[] {"CREATE USER IF NOT EXISTS " + user + " PASSWORD '" + user + "' ADMIN"};
        };
    }

    /** Lets a user do with the tables that are there what business does. */
    String[] grants(String user, String database) {
        return switch (this) {
            case POSTGRESQL ->
                new String[] {
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + user,
                    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO " + user
                };
            case MYSQL, MARIADB ->
                new String[] {"GRANT SELECT, INSERT, UPDATE, DELETE ON `" + database + "`.* TO '" + user + "'@'%'"};
            case H2 -> new String[] {"GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA public TO " + user};
        };
    }
}
