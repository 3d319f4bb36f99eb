package outbox.testservers.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import outbox.testservers.files.DirectoryTree;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;

/**
 * Takes single files out of Debian's or Ubuntu's packages. Needs no root and changes nothing on the machine: packages
 * are downloaded and opened in the given directory, which closing removes. The machine's package lists are tried first;
 * if they are empty or outdated, private ones are fetched.
 */
final class AptArchive implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final Path workspace;
    private final StringBuilder failures = new StringBuilder();

    AptArchive(Path workspace) {
        this.workspace = workspace;
    }

    /**
     * Puts a library into the directory, from the first package that can be had.
     *
     * @param packages names of packages, one of which has the library
     * @param file its name, which may go on in the package ({@code libaio.so.1} matches {@code libaio.so.1t64.0.2})
     */
    void extractLibrary(List<String> packages, String file, Path directory) throws IOException, UnavailableException {
        extract(packages, path -> path.getFileName().toString().startsWith(file), directory.resolve(file));
    }

    /** Puts a program of a package into the directory. The package may have other files of that name. */
    void extractProgram(String name, Path directory) throws IOException, UnavailableException {
        extract(
                List.of(name),
                path -> path.endsWith("bin/" + name) || path.endsWith("sbin/" + name),
                directory.resolve(name));
    }

    private void extract(List<String> packages, Predicate<Path> wanted, Path target)
            throws IOException, UnavailableException {
        Optional<Path> found = findIn(packages, wanted, List.of());
        if (found.isEmpty()) {
            found = findIn(packages, wanted, privateLists());
        }
        Files.copy(found.orElseThrow(() -> new UnavailableException(failures.toString())), target);
    }

    @Override
    public void close() throws IOException {
        DirectoryTree.delete(workspace);
    }

    private Optional<Path> findIn(List<String> packages, Predicate<Path> wanted, List<String> options)
            throws IOException {
        for (String name : packages) {
            Optional<Path> found = download(name, options).flatMap(opened -> find(opened, wanted));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Path> download(String name, List<String> options) throws IOException {
        Path target = workspace.resolve(name);
        DirectoryTree.delete(target);
        Files.createDirectories(target);
        if (!run(target, apt(options, "download", name))) {
            return Optional.empty();
        }
        Path opened = target.resolve("opened");
        return run(target, List.of("sh", "-c", "dpkg-deb -x ./*.deb opened")) ? Optional.of(opened) : Optional.empty();
    }

    private List<String> privateLists() throws IOException {
        Path lists = workspace.resolve("lists");
        Path cache = workspace.resolve("cache");
        Files.createDirectories(lists.resolve("partial"));
        Files.createDirectories(cache.resolve("archives").resolve("partial"));
        List<String> options = List.of(
                "-o",
                "Dir::State::lists=" + lists,
                "-o",
                "Dir::Cache=" + cache,
                "-o",
                "Debug::NoLocking=true",
                "-o",
                "Acquire::Languages=none");
        run(workspace, apt(options, "update"));
        return options;
    }

    /** Without the sandbox user, who may not be allowed to see the workspace. */
    private static List<String> apt(List<String> options, String... command) {
        List<String> line = new ArrayList<>(List.of("apt-get", "-q", "-o", "APT::Sandbox::User=root"));
        line.addAll(options);
        line.addAll(List.of(command));
        return line;
    }

    private boolean run(Path directory, List<String> line) {
        Command.Outcome outcome = new Command(line).runIn(directory, TIMEOUT);
        if (!outcome.succeeded()) {
            failures.append('\n').append(String.join(" ", line)).append('\n').append(LogTail.of(outcome.output()));
        }
        return outcome.succeeded();
    }

    private Optional<Path> find(Path directory, Predicate<Path> wanted) {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(path -> Files.isRegularFile(path)).filter(wanted).findFirst();
        } catch (IOException e) {
            failures.append('\n').append(e);
            return Optional.empty();
        }
    }

    /** No package could be had; the message has the output of all attempts. */
    static final class UnavailableException extends Exception {

        private static final long serialVersionUID = 1L;

        UnavailableException(String message) {
            super(message);
        }
    }
}
