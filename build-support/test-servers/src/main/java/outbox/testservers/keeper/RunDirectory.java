package outbox.testservers.keeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import outbox.testservers.files.DirectoryTree;
import outbox.testservers.files.FileMutex;
import outbox.testservers.files.TestDirectory;

/**
 * What belongs to one test run, found by its owner's process id so that runs side by side do not meet.
 *
 * <p>The keeper's lock and log stay when the run ends, the log for reading, and are removed by the keeper of a later
 * run.
 */
public record RunDirectory(Path path, long owner) {

    public static RunDirectory ofThisRun() {
        return of(RunOwner.find().pid());
    }

    public static RunDirectory of(long owner) {
        return new RunDirectory(runs().resolve(String.valueOf(owner)), owner);
    }

    static List<RunDirectory> all() {
        try (Stream<Path> runs = Files.list(runs())) {
            return runs.filter(path -> path.getFileName().toString().matches("\\d+"))
                    .map(path -> of(Long.parseLong(path.getFileName().toString())))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Held by whoever starts a keeper, until it answers. Covers all runs, since a new keeper sweeps them all. */
    static FileMutex lockStart() {
        DirectoryTree.create(runs());
        return FileMutex.acquire(runs().resolve("start.lock"));
    }

    /** Held by the keeper for as long as it lives. */
    Path keeperLock() {
        return path.resolve("keeper.lock");
    }

    Path keeperLog() {
        return path.resolve("keeper.log");
    }

    public Path keeperAddress() {
        return path.resolve("keeper.address");
    }

    /** The parent of all servers' directories of this run; their processes are known by it. */
    public Path servers() {
        return path.resolve("servers");
    }

    public Path newServerDirectory(String label) {
        Path directory =
                servers().resolve(label + "-" + UUID.randomUUID().toString().substring(0, 8));
        DirectoryTree.create(directory);
        return directory;
    }

    boolean ownerLives() {
        Optional<ProcessHandle> process = ProcessHandle.of(owner);
        return process.isPresent() && process.get().isAlive();
    }

    private static Path runs() {
        return TestDirectory.current().resolve("runs");
    }
}
