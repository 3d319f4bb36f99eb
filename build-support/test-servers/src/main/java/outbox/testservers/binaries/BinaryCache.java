package outbox.testservers.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import outbox.testservers.files.DirectoryTree;
import outbox.testservers.files.FileMutex;
import outbox.testservers.files.TestDirectory;
import outbox.testservers.processes.TestServerException;

/**
 * Directories that are filled once and then used by all later runs. A directory gets its name only when it is complete,
 * and a file lock keeps processes from filling the same one at the same time.
 */
public final class BinaryCache {

    private final Path root;

    BinaryCache(Path root) {
        this.root = root;
    }

    public static BinaryCache current() {
        return new BinaryCache(TestDirectory.current().resolve("cache"));
    }

    /** The directory of that name, filled by the filler if it is not there yet. */
    public Path unpacked(String name, Filler filler) {
        Path complete = root.resolve(name);
        if (Files.isDirectory(complete)) {
            return complete;
        }
        DirectoryTree.create(root);
        FileMutex mutex = FileMutex.acquire(root.resolve(name + ".lock"));
        try {
            if (!Files.isDirectory(complete)) {
                fill(root.resolve(name + ".partial"), complete, filler);
            }
            return complete;
        } catch (IOException e) {
            throw new TestServerException("cannot unpack " + name + " into " + root + ": " + e, e);
        } finally {
            mutex.release();
        }
    }

    private static void fill(Path partial, Path complete, Filler filler) throws IOException {
        DirectoryTree.delete(partial);
        Files.createDirectories(partial);
        try {
            filler.fill(partial);
            Files.move(partial, complete, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            DirectoryTree.delete(partial);
        }
    }

    /** Fills an empty directory. */
    public interface Filler {
        void fill(Path directory) throws IOException;
    }
}
