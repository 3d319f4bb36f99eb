package outbox.testservers.keeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import outbox.testservers.files.FileMutex;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.TestServerException;

/** Asks the run's keeper for servers, and starts the keeper when there is none, or none any more. */
public final class KeeperClient {

    private static final int ATTEMPTS = 3;

    private final RunDirectory run;
    private final Class<?> program;

    /** @param program whose main method keeps the servers of the run with the owner that it is given */
    public KeeperClient(RunDirectory run, Class<?> program) {
        this.run = run;
        this.program = program;
    }

    /** The server, started if need be. Not remembered here: the keeper may have been killed since the last request. */
    public Coordinates request(String kind) {
        IOException latest = new IOException("no attempt was made");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try (KeeperConnection connection = connect()) {
                return connection.ask(kind);
            } catch (IOException e) {
                latest = e;
            }
        }
        throw new TestServerException(
                "the keeper of the test servers went away " + ATTEMPTS + " times. " + LogTail.of(run.keeperLog()),
                latest);
    }

    public void ensureRunning() {
        try {
            connect().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private KeeperConnection connect() throws IOException {
        Optional<KeeperConnection> running = connectToRunning();
        if (running.isPresent()) {
            return running.get();
        }
        FileMutex start = RunDirectory.lockStart();
        try {
            Optional<KeeperConnection> startedByOther = connectToRunning();
            return startedByOther.isPresent() ? startedByOther.get() : new KeeperLauncher(run, program).launch();
        } finally {
            start.release();
        }
    }

    private Optional<KeeperConnection> connectToRunning() throws IOException {
        return KeeperAddress.read(run.keeperAddress()).flatMap(KeeperConnection::open);
    }
}
