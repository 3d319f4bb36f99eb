package outbox.testservers.processes;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a server that was just started answers; ends it if it does not.
 *
 * @param name how messages call the server
 * @param log whose end is shown in them
 */
public record FirstAnswer(String name, ServerProcess started, Path log) {

    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final int PROBE_INTERVAL_MILLIS = 50;

    public void await(Probe probe) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        Exception latest = new SQLException("no attempt was made");
        while (System.nanoTime() < deadline) {
            try {
                if (started.awaitExit(PROBE_INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw failure("ended by itself with exit code " + started.exitCode(), latest);
                }
                probe.ask();
                return;
            } catch (SQLException | IOException e) {
                latest = e;
            }
        }
        started.kill();
        throw failure("did not answer within " + TIMEOUT.toSeconds() + " s: " + latest.getMessage(), latest);
    }

    private TestServerException failure(String what, Exception cause) {
        return new TestServerException(name + " " + what + ". " + LogTail.of(log), cause);
    }

    /** A question that fails until the server is ready. */
    public interface Probe {
        void ask() throws SQLException, IOException;
    }
}
