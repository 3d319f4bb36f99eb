package outbox.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import outbox.testservers.binaries.ServerBinaries;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.OrdinaryUser;
import outbox.testservers.processes.TestServerException;

/** PostgreSQL, with the superuser {@code postgres}. */
public final class PostgresServer extends ManagedServer {

    private static final Duration INITIALISATION_TIMEOUT = Duration.ofMinutes(2);

    /** A server that is not started yet. */
    public PostgresServer(ServerSettings settings) {
        super(settings);
    }

    @Override
    public TestDatabase database() {
        return new TestDatabase(
                "jdbc:postgresql://127.0.0.1:" + settings().port() + "/postgres", "postgres", "postgres");
    }

    @Override
    Path home() {
        return ServerBinaries.postgresql();
    }

    @Override
    void initialise(Path data) {
        Command initdb = OrdinaryUser.command(
                program("initdb"),
                List.of("-D", data.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"));
        Command.Outcome outcome = initdb.run(INITIALISATION_TIMEOUT);
        if (!outcome.succeeded()) {
            throw new TestServerException("PostgreSQL's initdb failed. PostgreSQL does not run as root; the build works"
                    + " around that with \"unshare -U\". Where that is forbidden, build as an ordinary user or name an"
                    + " existing server in OUTBOX_TEST_POSTGRESQL_URL. Output:\n" + LogTail.of(outcome.output()));
        }
    }

    @Override
    Command serverCommand() {
        List<String> arguments = new ArrayList<>(List.of("-D", settings().data().toString()));
        options().forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
        settings().options().forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
        return OrdinaryUser.command(program("postgres"), arguments);
    }

    @Override
    String dataDirectoryQuery() {
        return "SHOW data_directory";
    }

    /** "Fast shutdown"; SIGTERM would wait for the clients to leave. */
    @Override
    String stopSignal() {
        return "INT";
    }

    /** Commits wait for the log to be written in either case, so that only a crash of the machine can lose one. */
    private Map<String, String> options() {
        String disk = settings().durable() ? "on" : "off";
        return Map.of(
                "listen_addresses", "127.0.0.1",
                "port", String.valueOf(settings().port()),
                "unix_socket_directories", "",
                "max_connections", "300",
                "synchronous_commit", "on",
                "fsync", disk,
                "full_page_writes", disk);
    }

    private Path program(String name) {
        return home().resolve("bin").resolve(name);
    }
}
