package outbox.testservers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds PgBouncer's program: the machine's own, or one fetched from the distribution without being installed. */
final class PgBouncerProgram {

    private static final List<Path> INSTALLED =
            List.of(Path.of("/usr/sbin", PgBouncer.PROGRAM), Path.of("/usr/bin", PgBouncer.PROGRAM));

    private PgBouncerProgram() {}

    static Path find() {
        return INSTALLED.stream().filter(Files::isExecutable).findFirst().orElseGet(PgBouncerProgram::fetched);
    }

    private static Path fetched() {
        Path home = BinaryCache.current().unpacked(PgBouncer.PROGRAM, directory -> {
            try (AptArchive archive = new AptArchive(directory.resolve("apt"))) {
                archive.extractProgram(PgBouncer.PROGRAM, directory);
            } catch (AptArchive.UnavailableException e) {
                throw new TestServerException(
                        "PgBouncer is neither installed nor could it be fetched. Install it (Debian, Ubuntu: apt-get install"
                                + " pgbouncer; Fedora: dnf install pgbouncer). Fetching it failed: " + e.getMessage(),
                        e);
            }
        });
        return home.resolve(PgBouncer.PROGRAM);
    }
}
