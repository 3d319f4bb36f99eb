package outbox.testservers.binaries;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.TestServerException;

/**
 * Gives a server the shared libraries that the machine lacks. MySQL needs libaio and PgBouncer c-ares, which fresh
 * machines do not have; they are fetched from the distribution into the cache, without being installed.
 */
public final class SharedLibraries {

    private static final Pattern MISSING =
            Pattern.compile("error while loading shared libraries: (?<library>[^:\\s]+): cannot open");

    /** The packages that hold a library: Debian's and Ubuntu's, by all of their names, and Fedora's. */
    private static final Map<String, Packages> PACKAGES = Map.of(
            "libaio.so.1", new Packages(List.of("libaio1", "libaio1t64"), "libaio"),
            "libnuma.so.1", new Packages(List.of("libnuma1"), "numactl-libs"),
            "libsystemd.so.0", new Packages(List.of("libsystemd0"), "systemd-libs"),
            "libcrypt.so.1", new Packages(List.of("libcrypt1"), "libxcrypt-compat"),
            "libcares.so.2", new Packages(List.of("libc-ares2", "libcares2"), "c-ares"),
            "libevent-2.1.so.7", new Packages(List.of("libevent-2.1-7", "libevent-2.1-7t64"), "libevent"));

    private static final Map<Path, Map<String, String>> KNOWN = new ConcurrentHashMap<>();

    private SharedLibraries() {}

    /**
     * The environment in which the program finds all of its libraries.
     *
     * @throws TestServerException that says what to install, if one cannot be had
     */
    public static Map<String, String> environmentFor(Path program) {
        return KNOWN.computeIfAbsent(program, SharedLibraries::complete);
    }

    private static Map<String, String> complete(Path program) {
        Set<Path> added = new LinkedHashSet<>();
        while (true) {
            Map<String, String> environment = environment(added);
            Optional<String> missing = missingLibrary(program, environment);
            if (missing.isEmpty()) {
                return environment;
            }
            if (!added.add(fetch(missing.get(), program))) {
                throw new TestServerException(
                        program + " does not find " + missing.get() + " although it is in " + added);
            }
        }
    }

    private static Map<String, String> environment(Set<Path> added) {
        if (added.isEmpty()) {
            return Map.of();
        }
        return Map.of(
                "LD_LIBRARY_PATH", added.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    }

    /** The loader reports one library at a time, before the program's own code runs. */
    private static Optional<String> missingLibrary(Path program, Map<String, String> environment) {
        Command.Outcome outcome = new Command(List.of(program.toString(), "--version"))
                .withEnvironment(environment)
                .run(Duration.ofSeconds(30));
        Matcher matcher = MISSING.matcher(outcome.output());
        if (matcher.find()) {
            return Optional.of(matcher.group("library"));
        }
        if (!outcome.succeeded()) {
            throw new TestServerException(program + " cannot be run: " + LogTail.of(outcome.output()));
        }
        return Optional.empty();
    }

    private static Path fetch(String library, Path program) {
        Packages packages = PACKAGES.get(library);
        if (packages == null) {
            throw new TestServerException(program + " needs the shared library " + library
                    + ", which this machine lacks: install the package that holds it");
        }
        return BinaryCache.current().unpacked(library, directory -> {
            try (AptArchive archive = new AptArchive(directory.resolve("apt"))) {
                archive.extractLibrary(packages.debian(), library, directory);
            } catch (AptArchive.UnavailableException e) {
                throw new TestServerException(advice(library, packages, program, e), e);
            }
        });
    }

    private static String advice(String library, Packages packages, Path program, Exception reason) {
        return String.format(
                Locale.ROOT,
                """
                %s needs the shared library %s, which this machine lacks and which could not be fetched.
                Install it (Debian, Ubuntu: apt-get install %s; Fedora: dnf install %s) \
                or, in place of a database, name an existing server in OUTBOX_TEST_MYSQL_URL or OUTBOX_TEST_MARIADB_URL (_USER, _PASSWORD).
                Fetching it failed: %s""",
                program.getFileName(),
                library,
                String.join(" or ", packages.debian()),
                packages.fedora(),
                reason.getMessage());
    }

    private record Packages(List<String> debian, String fedora) {}
}
