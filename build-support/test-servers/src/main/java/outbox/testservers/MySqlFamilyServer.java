package outbox.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.CurrentUser;

/** What MySQL and MariaDB have in common: most options, and how the tests' user comes to be. */
abstract class MySqlFamilyServer extends ManagedServer {

    static final String USER = "outbox";
    static final String PASSWORD = "outbox";
    static final String DATABASE = "test";

    /** Run at every start, before the first connection is accepted. */
    private static final String FIRST_STATEMENTS = String.format(Locale.ROOT, """
            CREATE DATABASE IF NOT EXISTS %1$s;
            CREATE USER IF NOT EXISTS '%2$s'@'%%' IDENTIFIED BY '%3$s';
            GRANT ALL PRIVILEGES ON *.* TO '%2$s'@'%%' WITH GRANT OPTION;
            """, DATABASE, USER, PASSWORD);

    MySqlFamilyServer(ServerSettings settings) {
        super(settings);
    }

    /** The server's program. */
    abstract Path program();

    /** Variables that the server's process needs. */
    abstract Map<String, String> environment();

    /** Options that only this server has. */
    abstract List<String> ownOptions();

    @Override
    final Command serverCommand() {
        List<String> options = new ArrayList<>(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + settings().port(),
                // Relative to the data directory: a long path would not fit into a socket's address.
                "--socket=server.sock",
                "--pid-file=server.pid",
                "--skip-name-resolve",
                "--skip-ssl",
                "--max-connections=300",
                "--character-set-server=utf8mb4",
                "--init-file=" + writeFirstStatements()));
        if (!settings().durable()) {
            options.addAll(List.of("--skip-log-bin", "--innodb-flush-log-at-trx-commit=2"));
        }
        options.addAll(ownOptions());
        settings().options().forEach((name, value) -> options.add("--" + name + "=" + value));
        return program(settings().data(), options);
    }

    @Override
    final String dataDirectoryQuery() {
        return "SELECT @@datadir";
    }

    @Override
    final String stopSignal() {
        return "TERM";
    }

    final Command program(Path data, List<String> options) {
        List<String> line = new ArrayList<>(
                List.of(program().toString(), "--no-defaults", "--basedir=" + home(), "--datadir=" + data));
        if (CurrentUser.isRoot()) {
            line.add("--user=root");
        }
        line.addAll(options);
        return new Command(line).withEnvironment(environment());
    }

    private Path writeFirstStatements() {
        try {
            return Files.writeString(settings().directory().resolve("first.sql"), FIRST_STATEMENTS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
