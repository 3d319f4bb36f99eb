package outbox.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Asks the run's keeper for servers, and starts the keeper when there is none, or none any more. */
final class KeeperClient {

    private static final int ATTEMPTS = 3;

    private final RunDirectory run;

    KeeperClient(RunDirectory run) {
        this.run = run;
    }

    /** The server, started if need be. Not remembered here: the keeper may have been killed since the last request. */
    TestDatabase request(DatabaseKind kind) {
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

    void ensureRunning() {
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
            return startedByOther.isPresent() ? startedByOther.get() : new KeeperLauncher(run).launch();
        } finally {
            start.release();
        }
    }

    private Optional<KeeperConnection> connectToRunning() throws IOException {
        return KeeperAddress.read(run.keeperAddress()).flatMap(KeeperConnection::open);
    }
}
