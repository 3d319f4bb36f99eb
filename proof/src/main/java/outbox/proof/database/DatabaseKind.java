package outbox.proof.database;

import java.util.Locale;
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
    MARIADB("\u0003commit");

    private final String commit;

    DatabaseKind(String commit) {
        this.commit = commit;
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
            case MARIADB -> database;
        };
    }

    DatabaseServer server(ServerSettings settings) {
        return switch (this) {
            case POSTGRESQL -> new PostgresServer(settings);
            // Alone among the three it watches itself by default, which takes a good part of the processor.
            case MYSQL -> new MySqlServer(settings.withOption("performance_schema", "OFF"));
            case MARIADB -> new MariaDbServer(settings);
        };
    }

    /** So that a statement which must wait for somebody else's lock gives up before long. */
    String sessionSettings() {
        return switch (this) {
            case POSTGRESQL -> "SET statement_timeout = '2s'";
            case MYSQL -> "SET innodb_lock_wait_timeout = 2";
            case MARIADB -> "SET innodb_lock_wait_timeout = 2, max_statement_time = 2";
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
        };
    }

    /** Makes each new session of a user one that can never write, or one that can again; sessions stay what they are. */
    String readOnlySessions(String user, boolean now) {
        return switch (this) {
            case POSTGRESQL -> "ALTER ROLE " + user + (now ? " SET default_transaction_read_only = ON" : " RESET ALL");
            case MYSQL, MARIADB ->
                "SET GLOBAL init_connect = '" + (now ? "SET SESSION TRANSACTION READ ONLY" : "") + "'";
        };
    }

    /** The numbers of the sessions of the user of the name that follows. */
    String sessionsOf() {
        return switch (this) {
            case POSTGRESQL -> "SELECT pid FROM pg_stat_activity WHERE usename = ?";
            case MYSQL, MARIADB -> "SELECT id FROM information_schema.processlist WHERE user = ?";
        };
    }

    /** Ends a session. */
    String killSession(long number) {
        return this == POSTGRESQL ? "SELECT pg_terminate_backend(" + number + ")" : "KILL " + number;
    }

    /** Creates a user who may do nothing yet. */
    String[] createUser(String user) {
        return switch (this) {
            case POSTGRESQL ->
                new String[] {"DROP ROLE IF EXISTS " + user, "CREATE ROLE " + user + " LOGIN PASSWORD '" + user + "'"};
            case MYSQL, MARIADB ->
                new String[] {"CREATE USER IF NOT EXISTS '" + user + "'@'%' IDENTIFIED BY '" + user + "'"};
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
        };
    }
}
