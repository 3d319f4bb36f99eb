package outbox.testservers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import outbox.testservers.binaries.ServerBinaries;
import outbox.testservers.binaries.SharedLibraries;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.TestServerException;

/**
 * MySQL, with the user {@code outbox} who may do all. The system property {@value
 * ServerBinaries#MYSQL_VERSION_PROPERTY} chooses its version, 8.0.12 (the default) or 8.0.33.
 */
public final class MySqlServer extends MySqlFamilyServer {

    private static final Duration INITIALISATION_TIMEOUT = Duration.ofMinutes(3);

    /** A server that is not started yet. */
    public MySqlServer(ServerSettings settings) {
        super(settings);
    }

    @Override
    public TestDatabase database() {
        return new TestDatabase(
                "jdbc:mysql://127.0.0.1:" + settings().port() + "/" + DATABASE
                        + "?sslMode=DISABLED&allowPublicKeyRetrieval=true",
                USER,
                PASSWORD);
    }

    @Override
    Path home() {
        return ServerBinaries.mysql();
    }

    @Override
    Path program() {
        return home().resolve("bin").resolve("mysqld");
    }

    @Override
    Map<String, String> environment() {
        return SharedLibraries.environmentFor(program());
    }

    @Override
    List<String> ownOptions() {
        return List.of("--mysqlx=OFF", "--default-authentication-plugin=mysql_native_password");
    }

    @Override
    void initialise(Path data) {
        Command.Outcome outcome =
                program(data, List.of("--initialize-insecure")).run(INITIALISATION_TIMEOUT);
        if (!outcome.succeeded()) {
            throw new TestServerException(
                    "MySQL could not create its data in " + data + ":\n" + LogTail.of(outcome.output()));
        }
    }
}
