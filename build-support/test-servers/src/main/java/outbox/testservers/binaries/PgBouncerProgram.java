package outbox.testservers.binaries;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import outbox.testservers.processes.TestServerException;

/** Finds PgBouncer's program: the machine's own, or one fetched from the distribution without being installed. */
public final class PgBouncerProgram {

    public static final String NAME = "pgbouncer";

    private static final List<Path> INSTALLED = List.of(Path.of("/usr/sbin", NAME), Path.of("/usr/bin", NAME));

    private PgBouncerProgram() {}

    public static Path find() {
        return INSTALLED.stream().filter(Files::isExecutable).findFirst().orElseGet(PgBouncerProgram::fetched);
    }

    private static Path fetched() {
        Path home = BinaryCache.current().unpacked(NAME, directory -> {
            try (AptArchive archive = new AptArchive(directory.resolve("apt"))) {
                archive.extractProgram(NAME, directory);
            } catch (AptArchive.UnavailableException e) {
                throw new TestServerException(
                        "PgBouncer is neither installed nor could it be fetched. Install it (Debian, Ubuntu: apt-get install"
                                + " pgbouncer; Fedora: dnf install pgbouncer). Fetching it failed: " + e.getMessage(),
                        e);
            }
        });
        return home.resolve(NAME);
    }
}
