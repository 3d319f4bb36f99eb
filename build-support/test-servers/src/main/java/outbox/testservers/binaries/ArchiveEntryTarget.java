package outbox.testservers.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The place below a directory where one entry of an archive goes. */
record ArchiveEntryTarget(Path path) {

    static ArchiveEntryTarget below(Path root, String name) throws IOException {
        Path path = root.resolve(name).normalize();
        if (!path.startsWith(root)) {
            throw new IOException("archive entry leads out of its directory: " + name);
        }
        Files.createDirectories(path.getParent());
        return new ArchiveEntryTarget(path);
    }

    void write(InputStream content, boolean executable) throws IOException {
        Files.copy(content, path, StandardCopyOption.REPLACE_EXISTING);
        if (executable && !path.toFile().setExecutable(true, false)) {
            throw new IOException("cannot make executable: " + path);
        }
    }
}
