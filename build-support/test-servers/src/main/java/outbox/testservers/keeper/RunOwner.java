package outbox.testservers.keeper;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import outbox.testservers.processes.CommandLine;
import outbox.testservers.processes.TestServerException;

/**
 * Finds the process whose end is the end of the test run.
 *
 * <p>Under Maven, test JVMs are its grandchildren (there is a shell in between), and a test may start further JVMs.
 * So it is the outermost Maven among the ancestors; a CI agent or an IDE, which may be Java too, lives longer than
 * the run and is passed over. Without Maven it is the outermost Java process, at least this JVM itself.
 */
public final class RunOwner {

    /** Names the owner's process id explicitly. */
    public static final String PROPERTY = "outbox.test.owner";

    private RunOwner() {}

    static ProcessHandle find() {
        String given = System.getProperty(PROPERTY, "");
        if (!given.isEmpty()) {
            return ProcessHandle.of(Long.parseLong(given))
                    .orElseThrow(() -> new TestServerException(PROPERTY + " must be a live process, was " + given));
        }
        return outermost(RunOwner::isMaven)
                .or(() -> outermost(RunOwner::isJava))
                .orElseGet(ProcessHandle::current);
    }

    private static Optional<ProcessHandle> outermost(Predicate<ProcessHandle> kind) {
        List<ProcessHandle> matching = Stream.iterate(
                        Optional.of(ProcessHandle.current()),
                        Optional::isPresent,
                        process -> process.flatMap(ProcessHandle::parent))
                .flatMap(Optional::stream)
                .filter(kind)
                .toList();
        return matching.isEmpty() ? Optional.empty() : Optional.of(matching.get(matching.size() - 1));
    }

    private static boolean isMaven(ProcessHandle process) {
        String line = CommandLine.of(process);
        return line.contains("org.codehaus.plexus.classworlds.launcher.Launcher")
                || line.contains("org.codehaus.classworlds.Launcher");
    }

    private static boolean isJava(ProcessHandle process) {
        return process.info()
                .command()
                .filter(command -> command.endsWith("/java"))
                .isPresent();
    }
}
