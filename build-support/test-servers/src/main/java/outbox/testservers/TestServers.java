package outbox.testservers;

import java.nio.file.Path;
import outbox.testservers.keeper.Coordinates;
import outbox.testservers.keeper.KeeperClient;
import outbox.testservers.keeper.RunDirectory;
import outbox.testservers.processes.TestServerException;

/**
 * Where tests get a real database from.
 *
 * <p>The first request of a test run starts the server, which every later request of the same run shares, also from
 * other JVMs. It ends together with the Maven invocation. If the environment names an existing server (for instance
 * {@code OUTBOX_TEST_POSTGRESQL_URL}, {@code _USER} and {@code _PASSWORD}), that one is used and none is started.
 *
 * <p>Every method throws {@link TestServerException} when the server cannot be had; nothing is ever skipped. All
 * methods are thread-safe.
 */
public final class TestServers {

    private TestServers() {}

    /** PostgreSQL 18; the user is a superuser. */
    public static TestDatabase postgresql() {
        return of(ServerKind.POSTGRESQL);
    }

    /** MySQL 8.0; the user has all privileges. */
    public static TestDatabase mysql() {
        return of(ServerKind.MYSQL);
    }

    /**
     * MariaDB 11.4; the user has all privileges. The address is meant for MariaDB's own driver; for MySQL's, take
     * {@code mariadb().withUrlPrefix("jdbc:mysql:")}.
     */
    public static TestDatabase mariadb() {
        return of(ServerKind.MARIADB);
    }

    /**
     * A new directory for a test that starts a {@link DatabaseServer} of its own. A server left running there is ended,
     * and its data deleted, together with the test run, even if the test's JVM was killed.
     *
     * @param label what the server is for; becomes part of the directory's name
     */
    public static Path newServerDirectory(String label) {
        RunDirectory run = RunDirectory.ofThisRun();
        keeper(run).ensureRunning();
        return run.newServerDirectory(label);
    }

    static TestDatabase of(ServerKind kind) {
        return kind.existing(System::getenv).orElseGet(() -> shared(kind));
    }

    private static TestDatabase shared(ServerKind kind) {
        Coordinates server = keeper(RunDirectory.ofThisRun()).request(kind.name());
        return new TestDatabase(server.jdbcUrl(), server.user(), server.password());
    }

    static KeeperClient keeper(RunDirectory run) {
        return new KeeperClient(run, KeeperProgram.class);
    }
}
