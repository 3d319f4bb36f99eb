package outbox.benchmarks.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** H2 in this process, in files. */
public final class H2BenchServer implements BenchServer {

    private final Path directory;
    private final AtomicInteger counter = new AtomicInteger();

    private H2BenchServer(Path directory) {
        this.directory = directory;
    }

    /** Keeps its files in a temporary directory. */
    public static H2BenchServer start() {
        try {
            return new H2BenchServer(Files.createTempDirectory("outbox-bench-h2"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public DatabaseKind kind() {
        return DatabaseKind.H2;
    }

    @Override
    public Scratch newScratch() throws SQLException {
        Path file = directory.resolve("bench" + counter.incrementAndGet());
        // Stays open without connections: opening it again would be measured.
        String url = "jdbc:h2:file:" + file + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
        Scratch scratch = new Scratch(kind(), new JdbcAddress(url, "sa", ""), new Upkeep());
        JdbcCostMeter meter = new JdbcCostMeter();
        scratch.observe(meter);
        scratch.useMeter(meter);
        return scratch;
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Upkeep() implements Scratch.Care {

        @Override
        public void settle(JdbcAddress address) throws SQLException {
            address.execute("ANALYZE", "CHECKPOINT SYNC");
        }

        @Override
        public void drop(JdbcAddress address) throws SQLException {
            address.execute("DROP ALL OBJECTS DELETE FILES", "SHUTDOWN");
        }
    }
}
