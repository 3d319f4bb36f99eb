package outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.testservers.binaries.BinaryCache;
import outbox.testservers.files.DirectoryTree;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.FirstAnswer;
import outbox.testservers.processes.ServerProcess;
import outbox.testservers.processes.TestServerException;

/** What is the same for every server: the life of its process, told apart only by commands. */
abstract class ManagedServer implements DatabaseServer {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final ServerSettings settings;
    private volatile @Nullable ServerProcess process;

    ManagedServer(ServerSettings settings) {
        this.settings = settings;
    }

    /** Where the unpacked server is. */
    abstract Path home();

    /** Creates the server's data in the given empty directory. */
    abstract void initialise(Path data) throws IOException;

    /** The command that runs the server in the foreground on the data that {@link #initialise} made. */
    abstract Command serverCommand();

    /** A query whose only value is the directory of the server's data. */
    abstract String dataDirectoryQuery();

    /** The signal that ends the server in good order without waiting for its clients. */
    abstract String stopSignal();

    final ServerSettings settings() {
        return settings;
    }

    @Override
    public final synchronized void start() {
        if (isRunning()) {
            return;
        }
        if (!Files.isDirectory(settings.data())) {
            createData();
        }
        ServerProcess started = ServerProcess.start(serverCommand(), settings.log());
        process = started;
        new FirstAnswer(getClass().getSimpleName() + " on port " + settings.port(), started, settings.log())
                .await(this::probe);
    }

    @Override
    public final synchronized void stop() {
        ServerProcess running = process;
        if (running != null && running.isAlive() && !running.end(stopSignal(), STOP_TIMEOUT)) {
            running.kill();
        }
    }

    /** Not synchronized: a start that hangs must not keep the server from being killed. */
    @Override
    public final void kill() {
        ServerProcess running = process;
        if (running != null) {
            running.kill();
        }
    }

    @Override
    public final boolean isRunning() {
        ServerProcess running = process;
        return running != null && running.isAlive();
    }

    @Override
    public final long pid() {
        ServerProcess running = process;
        if (running == null) {
            throw new IllegalStateException("server in " + settings.directory() + " was not started");
        }
        return running.pid();
    }

    @Override
    public final Path log() {
        return settings.log();
    }

    /**
     * Copies data that were made once for all servers of the same version, since MySQL takes seconds to make them. They
     * appear under their final name only when complete, so that a killed start does not leave half of them.
     */
    private void createData() {
        Path partial = settings.directory().resolve("data.partial");
        try {
            DirectoryTree.delete(partial);
            DirectoryTree.copy(template(), partial);
            Files.move(partial, settings.data(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new TestServerException("cannot create the data of a server in " + settings.directory(), e);
        }
    }

    private Path template() {
        return BinaryCache.current().unpacked(home().getFileName() + "-data", this::initialise);
    }

    /** Asks for the data directory, since a server that answers on the port may be a foreign one. */
    private void probe() throws SQLException, IOException {
        try (Connection connection = database().connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(dataDirectoryQuery())) {
            result.next();
            Path theirs = Path.of(result.getString(1));
            if (!theirs.toRealPath().equals(settings.data().toRealPath())) {
                throw new SQLException("port " + settings.port() + " belongs to a server with data in " + theirs);
            }
        }
    }
}
