package outbox.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.testservers.binaries.PgBouncerProgram;
import outbox.testservers.binaries.SharedLibraries;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.FirstAnswer;
import outbox.testservers.processes.OrdinaryUser;
import outbox.testservers.processes.ServerProcess;

/**
 * A proxy in front of a PostgreSQL server that gives each transaction whichever session is free, run as a process of its
 * own on 127.0.0.1. Thread-safe.
 */
public final class PgBouncer implements AutoCloseable {

    /** All clients log in as the user whom the server knows; there is nothing to protect. */
    private static final String SETTINGS = """
            [databases]
            * = host=%s port=%s user=%s password=%s

            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = any
            pool_mode = %s
            default_pool_size = %d
            max_client_conn = 200
            """;

    private final Path directory;
    private final TestDatabase server;
    private final int sessions;
    private final int port = FreePort.find();
    private String mode = "transaction";
    private @Nullable ServerProcess process;

    /**
     * A proxy that is not started yet.
     *
     * @param directory for its settings and log, made by {@link TestServers#newServerDirectory}
     * @param server a PostgreSQL server
     * @param sessions how many it opens for each database; fewer than clients, so that these share them
     */
    public PgBouncer(Path directory, TestDatabase server, int sessions) {
        this.directory = directory.toAbsolutePath().normalize();
        this.server = server;
        this.sessions = sessions;
    }

    /** Gives sessions for that long: {@code session}, {@code transaction} or {@code statement}; to be said before the start. */
    public PgBouncer withMode(String poolMode) {
        mode = poolMode;
        return this;
    }

    /** Starts the proxy and returns when it answers. Does nothing if it runs. */
    public synchronized void start() {
        if (process != null && process.isAlive()) {
            return;
        }
        Path program = PgBouncerProgram.find();
        Command command = OrdinaryUser.command(program, List.of(writeSettings().toString()))
                .withEnvironment(SharedLibraries.environmentFor(program));
        ServerProcess started = ServerProcess.start(command, log());
        process = started;
        new FirstAnswer("PgBouncer on port " + port, started, log()).await(this::probe);
    }

    private Path writeSettings() {
        JdbcUrl address = JdbcUrl.parse(server.jdbcUrl());
        String settings = String.format(
                Locale.ROOT,
                SETTINGS,
                address.host(),
                address.port("5432"),
                quoted(server.user()),
                quoted(server.password()),
                port,
                mode,
                sessions);
        try {
            return Files.writeString(directory.resolve("pgbouncer.ini"), settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String quoted(String value) {
        return "'" + value.replace("'", "''") + "'";
    }

    private void probe() throws SQLException {
        try (Connection connection = through(server).connect()) {
            if (!connection.isValid(5)) {
                throw new SQLException("no answer through the proxy");
            }
        }
    }

    /** The same database of the server, seen through the proxy. */
    public TestDatabase through(TestDatabase database) {
        String url = JdbcUrl.parse(database.jdbcUrl())
                .withAuthority("127.0.0.1:" + port)
                .toString();
        return new TestDatabase(url, database.user(), database.password());
    }

    /** The file that the proxy logs to. */
    public Path log() {
        return directory.resolve("server.log");
    }

    /** Ends the proxy at once: it has nothing to lose, and the signal for that differs from version to version. */
    @Override
    public synchronized void close() {
        if (process != null) {
            process.kill();
        }
    }
}
