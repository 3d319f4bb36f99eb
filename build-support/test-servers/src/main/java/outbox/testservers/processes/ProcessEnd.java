package outbox.testservers.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Waits for processes that this JVM did not start. {@link ProcessHandle#onExit} would do, but it looks at foreign
 * processes only every few seconds and takes one that nobody has reaped yet for alive.
 */
public final class ProcessEnd {

    private static final int INTERVAL_MILLIS = 25;

    private ProcessEnd() {}

    /** Returns whether all of them were gone in time. */
    public static boolean await(Collection<ProcessHandle> processes, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!processes.stream().allMatch(ProcessEnd::isGone)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            pause();
        }
        return true;
    }

    /** Waits without limit. */
    public static void await(ProcessHandle process) {
        while (!await(List.of(process), Duration.ofDays(1))) {
            // still there
        }
    }

    public static boolean isGone(ProcessHandle process) {
        return !process.isAlive() || isZombie(process);
    }

    /** A dying process turns into a zombie thread by thread; files and ports are free when the last one has. */
    private static boolean isZombie(ProcessHandle process) {
        Path system = Path.of("/proc", String.valueOf(process.pid()));
        try (Stream<Path> threads = Files.list(system.resolve("task"))) {
            return threads.count() == 1 && hasStateZombie(Files.readString(system.resolve("stat")));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    /** The state follows the command's name, which is in parentheses and may contain any character. */
    private static boolean hasStateZombie(String status) {
        return status.startsWith(") Z", status.lastIndexOf(')'));
    }

    private static void pause() {
        try {
            Thread.sleep(INTERVAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestServerException("interrupted while waiting for a process to end", e);
        }
    }
}
