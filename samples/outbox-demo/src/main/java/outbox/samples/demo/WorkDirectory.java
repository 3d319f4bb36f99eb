package outbox.samples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary directory that disappears when it is closed, unless there is something in it worth looking at. */
final class WorkDirectory implements AutoCloseable {

    private final Path path;
    private boolean kept;

    private WorkDirectory(Path path) {
        this.path = path;
    }

    static WorkDirectory create() throws IOException {
        return new WorkDirectory(Files.createTempDirectory("outbox-demo-"));
    }

    Path path() {
        return path;
    }

    void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        if (kept) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            files.sorted(Comparator.reverseOrder()).forEach(WorkDirectory::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
