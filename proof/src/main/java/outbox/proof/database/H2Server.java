package outbox.proof.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.testservers.ChildJvm;
import outbox.testservers.DatabaseServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;

/** H2 in a process of its own, so that it can be killed and others can use what it had committed. Thread-safe. */
final class H2Server implements DatabaseServer {

    private static final String HEAP = "-Xmx256m";

    private final ServerSettings settings;
    private @Nullable ChildJvm process;

    H2Server(ServerSettings settings) {
        this.settings = settings;
    }

    @Override
    public synchronized void start() {
        if (isRunning()) {
            return;
        }
        List<String> arguments = List.of(
                String.valueOf(settings.port()),
                settings.directory().resolve("data").toString());
        try {
            ChildJvm started = ChildJvm.start(H2Program.class, HEAP, arguments, log());
            process = started;
            started.await("ready");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while H2 was starting", e);
        }
    }

    /** There is no other way: it ends with the process. What was committed is on the disk. */
    @Override
    public void stop() {
        kill();
    }

    @Override
    public synchronized void kill() {
        if (process == null) {
            return;
        }
        try {
            process.kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    @Override
    public synchronized long pid() {
        if (process == null) {
            throw new IllegalStateException("H2 was never started");
        }
        return process.pid();
    }

    /** Without the delay of writes, because a commit would only be in the memory of the process that is killed. */
    @Override
    public TestDatabase database() {
        return new TestDatabase("jdbc:h2:tcp://127.0.0.1:" + settings.port() + "/test;WRITE_DELAY=0", "sa", "");
    }

    @Override
    public Path log() {
        return settings.directory().resolve("server.log");
    }
}
