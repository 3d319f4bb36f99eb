package outbox.proof;

import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** A database to which the way is spoilt. */
enum SpoiltDatabase {
    POSTGRESQL("postgresql", "\u0000commit\u0000"),
    MYSQL("mysql", "\u0003commit"),
    MARIADB("mariadb", "\u0003commit");

    private final String dialect;
    private final String commit;

    SpoiltDatabase(String dialect, String commit) {
        this.dialect = dialect;
        this.commit = commit;
    }

    String dialect() {
        return dialect;
    }

    /** How the driver says it: not to be mixed up with a setting of autocommit, nor with the name of an isolation level. */
    String commit() {
        return commit;
    }

    TestDatabase server() {
        return switch (this) {
            case POSTGRESQL -> TestServers.postgresql();
            case MYSQL -> TestServers.mysql();
            case MARIADB -> TestServers.mariadb();
        };
    }

    /** With what the driver needs to send each commit as text. */
    TestDatabase withPlainCommits(TestDatabase database) {
        return this == POSTGRESQL ? database.withParameter("prepareThreshold", "0") : database;
    }
}
