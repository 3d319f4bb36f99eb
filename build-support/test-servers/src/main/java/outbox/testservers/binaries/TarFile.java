package outbox.testservers.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** A tar archive that is unpacked whole, with its symbolic links. */
record TarFile(TarArchiveInputStream content) {

    private static final int EXECUTABLE_BY_OWNER = 0b001_000_000;

    void unpackInto(Path directory) throws IOException {
        for (TarArchiveEntry entry = content.getNextEntry(); entry != null; entry = content.getNextEntry()) {
            if (!entry.isDirectory()) {
                unpack(entry, ArchiveEntryTarget.below(directory, entry.getName()));
            }
        }
    }

    private void unpack(TarArchiveEntry entry, ArchiveEntryTarget target) throws IOException {
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target.path(), Path.of(entry.getLinkName()));
        } else if (entry.isFile()) {
            target.write(content, (entry.getMode() & EXECUTABLE_BY_OWNER) != 0);
        } else {
            throw new IOException("unexpected kind of archive entry: " + entry.getName());
        }
    }
}
