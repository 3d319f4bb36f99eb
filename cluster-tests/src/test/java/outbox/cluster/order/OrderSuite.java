package outbox.cluster.order;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Thousands of keys, several processes, kills, pauses and restarts: each key is delivered in the order of its commits. */
@Timeout(900)
abstract class OrderSuite {

    /** Short, so that what a dead node had in hand goes on soon. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private final OrderForm form = OrderForm.ofThisRun();
    private final long seed = Long.getLong("order.seed", System.nanoTime());

    @TempDir
    Path directory;

    abstract String dialect();

    /** Where the nodes find an empty database. */
    abstract OrderSettings database(long seed);

    abstract void dropDatabase();

    int nodes() {
        return 3;
    }

    @Test
    void events_of_an_aggregate_are_delivered_in_the_order_of_their_commits_whatever_dies() throws Exception {
        OrderSettings settings = database(seed);
        try (OrderRun run = new OrderRun(settings, form, nodes())) {
            new Ledger(settings).create(dialect());
            long begin = System.nanoTime();
            run.run(form);
            check(settings, run, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
        } finally {
            dropDatabase();
        }
    }

    private void check(OrderSettings settings, OrderRun run, long seconds) throws Exception {
        Ledger ledger = new Ledger(settings);
        List<CommittedEvent> events = ledger.events();
        JournalReader journal = JournalReader.read(OrderJournal.read(settings.journal()));
        History history = journal.history(events);
        Verdict verdict = OrderChecker.check(history);
        System.out.println("ORDER " + dialect() + ", seed " + seed + ": " + Summary.of(history, verdict, journal) + ", "
                + run.failedTransactions() + " transactions failed, " + seconds + " s");
        if (!verdict.violations().isEmpty() || Boolean.getBoolean("order.keep")) {
            keep(settings);
        }

        assertThat(verdict.violations())
                .as(() -> "replay with -Dorder.seed=" + seed + "\n" + verdict.describe(history))
                .isEmpty();
        assertThat(ledger.strangers()).isZero();
        assertThat(events.stream()
                        .filter(event -> event.key() != null)
                        .map(event -> event.key() + " " + event.n())
                        .distinct()
                        .count())
                .isEqualTo(ledger.transactions());
    }

    /** The journal of a failure is worth more than the directory of a test. */
    private void keep(OrderSettings settings) throws IOException {
        Path kept = Path.of("target", "order-" + dialect() + "-" + seed).toAbsolutePath();
        Files.createDirectories(kept);
        try (Stream<Path> files = Files.list(settings.directory())) {
            for (Path file : files.filter(OrderSuite::isWorthKeeping).toList()) {
                Files.copy(file, kept.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        System.out.println("ORDER journal and logs are in " + kept);
    }

    private static boolean isWorthKeeping(Path file) {
        return file.getFileName().toString().matches("journal|log-.*");
    }
}
