package outbox.samples.operations;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.stream.Stream;

/** Runs the demo: {@code ./outbox operations}. */
public final class OperationsDemo {

    private OperationsDemo() {}

    /** Runs the demo; exit code 1 if a promise was broken, 2 if there are arguments. */
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.err.println("Unknown arguments: " + String.join(" ", args) + "; this demo takes none");
            System.exit(2);
        }
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        System.exit(run(System.out));
    }

    static int run(PrintStream out) throws IOException {
        out.println("An outbox in operation: a shop, two processes that may deliver, a billing group, and a partner.");
        return run(out, (report, logs) -> {
            try (SharedDatabase database = SharedDatabase.open();
                    Story story = new Story(report, database)) {
                story.tell(logs);
            }
        });
    }

    /** What is told to a report; other processes log to the directory. */
    @FunctionalInterface
    interface Tale {
        void tell(Report report, Path logs) throws Exception;
    }

    /** If a promise is broken, the logs are kept and their place is told. */
    static int run(PrintStream out, Tale tale) throws IOException {
        Report report = new Report(out);
        Path logs = Files.createTempDirectory("outbox-operations-");
        try {
            tale.tell(report, logs);
        } catch (Exception e) {
            report.broke(e);
        }
        if (report.conclude()) {
            delete(logs);
            return 0;
        }
        out.println("What the relays have logged is in " + logs);
        return 1;
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.toList();
        }
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(directory);
    }
}
