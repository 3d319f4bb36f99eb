package outbox.testservers.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The operating system's process of a server. */
public final class ServerProcess {

    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(30);

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    public static ServerProcess start(Command command, Path log) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            return new ServerProcess(command.builder(log).start());
        } catch (IOException e) {
            throw new TestServerException("cannot run " + command.program() + ": " + e.getMessage(), e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return !ProcessEnd.isGone(process.toHandle());
    }

    int exitCode() {
        return process.exitValue();
    }

    public boolean awaitExit(long time, TimeUnit unit) {
        try {
            return process.waitFor(time, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestServerException("interrupted while waiting for process " + pid(), e);
        }
    }

    /** Sends the signal; returns whether the process has ended in time. */
    public boolean end(String signal, Duration timeout) {
        new Command(List.of("sh", "-c", "kill -" + signal + " " + pid())).run(Duration.ofSeconds(10));
        return awaitExit(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Kills the process and its children: a PostgreSQL restarted while children of the dead one live would refuse. */
    public void kill() {
        List<ProcessHandle> family = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        family.forEach(ProcessHandle::destroyForcibly);
        if (!ProcessEnd.await(family, KILL_TIMEOUT)) {
            throw new TestServerException("process " + pid() + " survives being killed");
        }
    }
}
