package outbox.testservers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import outbox.testservers.binaries.ServerBinaries;
import outbox.testservers.binaries.SharedLibraries;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.TestServerException;

/** MariaDB, with the user {@code outbox} who may do all. */
public final class MariaDbServer extends MySqlFamilyServer {

    private static final Duration INITIALISATION_TIMEOUT = Duration.ofMinutes(2);

    /** In this order; what MariaDB's own installer adds beyond them (help texts, the sys schema) only costs time. */
    private static final List<String> SYSTEM_TABLES =
            List.of("mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql");

    /** A server that is not started yet. */
    public MariaDbServer(ServerSettings settings) {
        super(settings);
    }

    /** For MariaDB's own driver; MySQL's takes the same address with the prefix {@code jdbc:mysql:}. */
    @Override
    public TestDatabase database() {
        return new TestDatabase("jdbc:mariadb://127.0.0.1:" + settings().port() + "/" + DATABASE, USER, PASSWORD);
    }

    @Override
    Path home() {
        return ServerBinaries.mariadb();
    }

    @Override
    Path program() {
        return home().resolve("bin").resolve("mariadbd");
    }

    @Override
    Map<String, String> environment() {
        return SharedLibraries.environmentFor(program());
    }

    @Override
    List<String> ownOptions() {
        return List.of("--lc-messages-dir=" + share());
    }

    @Override
    void initialise(Path data) throws IOException {
        Path statements = Files.createTempFile("outbox-mariadb", ".sql");
        try {
            writeSystemTables(statements);
            bootstrap(data, statements);
        } finally {
            Files.delete(statements);
        }
    }

    private void bootstrap(Path data, Path statements) {
        Command bootstrap = program(data, List.of("--bootstrap", "--skip-log-bin", "--lc-messages-dir=" + share()));
        Command.Outcome outcome = bootstrap.withInput(statements).run(INITIALISATION_TIMEOUT);
        if (!outcome.succeeded()) {
            throw new TestServerException(
                    "MariaDB could not create its data in " + data + ":\n" + LogTail.of(outcome.output()));
        }
    }

    /** Bootstrap mode wants each statement on a line of its own. */
    private void writeSystemTables(Path target) throws IOException {
        try (OutputStream out = Files.newOutputStream(target)) {
            out.write("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n"
                    .getBytes(StandardCharsets.UTF_8));
            for (String script : SYSTEM_TABLES) {
                Files.copy(share().resolve(script), out);
            }
        }
    }

    private Path share() {
        return home().resolve("share");
    }
}
