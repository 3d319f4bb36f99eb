package outbox.testservers.keeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import outbox.testservers.binaries.PgBouncerProgram;
import outbox.testservers.files.DirectoryTree;
import outbox.testservers.files.FileMutex;
import outbox.testservers.processes.CommandLine;
import outbox.testservers.processes.ProcessEnd;

/**
 * Ends what is left of a run: server processes, then their data.
 *
 * <p>Processes are recognised by the data directory, or that of their settings, in their command line. Unlike a written-down process id this cannot
 * hit a stranger that got the id later, nor miss a server whose keeper was killed before it could write.
 */
public final class RunSweeper {

    private static final Duration ORDERLY_END = Duration.ofSeconds(5);
    private static final Duration FORCED_END = Duration.ofSeconds(20);

    private static final int ROUNDS = 5;

    private final RunDirectory run;

    public RunSweeper(RunDirectory run) {
        this.run = run;
    }

    /** Sweeps every run whose keeper is dead. Called under the start lock: no keeper is about to take one over. */
    static void sweepDeadRuns(RunDirectory own) throws IOException {
        new RunSweeper(own).sweep();
        for (RunDirectory other : RunDirectory.all()) {
            if (!other.equals(own)) {
                sweepIfDead(other);
            }
        }
    }

    public void sweep() throws IOException {
        endProcesses();
        deleteData();
    }

    private static void sweepIfDead(RunDirectory other) throws IOException {
        Optional<FileMutex> dead = FileMutex.tryAcquire(other.keeperLock());
        if (dead.isEmpty()) {
            return;
        }
        try {
            new RunSweeper(other).sweep();
            if (!other.ownerLives()) {
                DirectoryTree.delete(other.path());
            }
        } finally {
            dead.get().release();
        }
    }

    /** More than once, because a test JVM that has not noticed its run's end may be starting a server just now. */
    private void endProcesses() {
        for (int round = 0; round < ROUNDS; round++) {
            List<ProcessHandle> left = processes();
            if (left.isEmpty()) {
                return;
            }
            end(left);
        }
    }

    /** In good order first, because a killed PostgreSQL leaves shared memory behind. */
    private static void end(List<ProcessHandle> processes) {
        processes.forEach(ProcessHandle::destroy);
        if (!ProcessEnd.await(processes, ORDERLY_END)) {
            processes.forEach(ProcessHandle::destroyForcibly);
            ProcessEnd.await(processes, FORCED_END);
        }
    }

    private List<ProcessHandle> processes() {
        Predicate<String> hasDataHere = line -> Stream.of("-D ", "--datadir=", PgBouncerProgram.NAME + " ")
                .anyMatch(before -> line.contains(before + run.servers() + "/"));
        return ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> hasDataHere.test(CommandLine.of(process)))
                .toList();
    }

    /** Logs stay, they may be wanted after a failed run. */
    private void deleteData() throws IOException {
        if (!Files.isDirectory(run.servers())) {
            return;
        }
        try (Stream<Path> servers = Files.list(run.servers())) {
            for (Path server : servers.toList()) {
                DirectoryTree.delete(server.resolve("data"));
                DirectoryTree.delete(server.resolve("data.partial"));
            }
        }
    }
}
