package outbox.proof;

import outbox.proof.database.DatabaseKind;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** The server that all tests on a kind of database share. */
public final class SharedServer {

    private SharedServer() {}

    public static TestDatabase of(DatabaseKind kind) {
        return switch (kind) {
            case POSTGRESQL -> TestServers.postgresql();
            case MYSQL -> TestServers.mysql();
            case MARIADB -> TestServers.mariadb();
            case H2 -> throw new IllegalArgumentException("tests on H2 share no server");
        };
    }
}
