package outbox.testservers.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A zip archive of which only some entries are unpacked. */
record ZipArchive(Path file) {

    /**
     * Unpacks the entries for which the function has a new name.
     *
     * @param naming from an entry's name to the path that it gets below the directory
     */
    void unpackInto(Path directory, Function<String, Optional<String>> naming) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            List<? extends ZipEntry> files =
                    zip.stream().filter(entry -> !entry.isDirectory()).toList();
            for (ZipEntry entry : files) {
                Optional<String> name = naming.apply(entry.getName());
                if (name.isPresent()) {
                    unpack(zip, entry, directory, name.get());
                }
            }
        }
    }

    /** Java does not read the access rights from a zip; programs are known by their directory. */
    private static void unpack(ZipFile zip, ZipEntry entry, Path directory, String name) throws IOException {
        try (InputStream content = zip.getInputStream(entry)) {
            ArchiveEntryTarget.below(directory, name).write(content, name.startsWith("bin/"));
        }
    }
}
