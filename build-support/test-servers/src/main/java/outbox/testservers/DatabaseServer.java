package outbox.testservers;

import java.nio.file.Path;
import outbox.testservers.processes.TestServerException;

/**
 * One real database server, run as a process of its own on 127.0.0.1.
 *
 * <p>After {@link #stop} or {@link #kill}, {@link #start} runs it again on the same data and port. All methods are
 * thread-safe and throw {@link TestServerException} if the server does not obey.
 */
public interface DatabaseServer extends AutoCloseable {

    /** Starts the server and returns when it answers; creates its data on first use. Does nothing if it runs. */
    void start();

    /** Stops the server in good order, without waiting for its clients. Does nothing if it does not run. */
    void stop();

    /** Kills the server's processes at once (SIGKILL) and returns when they are gone. */
    void kill();

    /** Whether the server's process is alive. */
    boolean isRunning();

    /**
     * The id of the server's (main) process.
     *
     * @throws IllegalStateException if it was never started
     */
    long pid();

    /** How to reach the server; a database is there already. */
    TestDatabase database();

    /** The file that the server logs to. */
    Path log();

    /** The same as {@link #stop}. The data stay. */
    @Override
    default void close() {
        stop();
    }
}
