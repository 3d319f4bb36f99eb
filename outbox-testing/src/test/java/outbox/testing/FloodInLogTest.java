package outbox.testing;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dispatch.Unroutable;
import outbox.spi.MetricsExporter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a whole outbox prints when very many events fare the same. */
@Timeout(120)
class FloodInLogTest {

    private static final int FLOOD = 60_000;
    private static final int BATCH = 1_000;
    private static final Pattern MORE = Pattern.compile("(\\d+) more like it in the last minute");

    private final ConcurrentLinkedQueue<LogRecord> lines = new ConcurrentLinkedQueue<>();
    private final CountDownLatch dead = new CountDownLatch(FLOOD);

    @Test
    void sixty_thousand_events_without_a_listener_are_a_handful_of_lines_that_count_them_all() throws Exception {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTransactions transactions = new InMemoryTransactions();
        Logger library = Logger.getLogger("outbox");
        Handler collector = collector();
        library.addHandler(collector);
        library.setUseParentHandlers(false);
        try (Outbox outbox = Outbox.builder(store, transactions, transactions)
                .listener("SomethingElse", event -> {})
                .dispatcher(settings -> settings.unroutable(Unroutable.DEAD).hotQueueCapacity(BATCH))
                .poller(settings -> settings.intervalMs(10).batchSize(BATCH))
                .metrics(countingDead())
                .build()) {
            outbox.start();
            for (int i = 0; i < FLOOD; i += BATCH) {
                List<EventEnvelope> batch = IntStream.range(i, i + BATCH)
                        .mapToObj(n -> EventEnvelope.ofJson("Nobodys", "{\"n\":" + n + "}"))
                        .toList();
                transactions.run(() -> outbox.writer().writeAll(batch));
            }
            assertTrue(dead.await(100, TimeUnit.SECONDS));
        } finally {
            library.removeHandler(collector);
            library.setUseParentHandlers(true);
        }

        // One a minute, and one at the end; a slow machine may need several minutes.
        List<String> texts = lines.stream().map(LogRecord::getMessage).toList();
        assertTrue(texts.size() >= 2 && texts.size() <= 10, texts::toString);
        List<LogRecord> errors = lines.stream()
                .filter(line -> line.getLevel().equals(Level.SEVERE))
                .toList();
        long toldInFull = errors.stream()
                .filter(line -> line.getMessage().startsWith("Event "))
                .count();
        assertEquals(
                FLOOD,
                toldInFull + errors.stream().mapToLong(FloodInLogTest::more).sum());
        assertEquals(FLOOD, store.countDead(transactions.getConnection(), "Nobodys"));
    }

    private static long more(LogRecord line) {
        Matcher number = MORE.matcher(line.getMessage());
        return number.find() ? Long.parseLong(number.group(1)) : 0;
    }

    private MetricsExporter countingDead() {
        return (MetricsExporter) Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("incrementDispatchDead")) {
                        dead.countDown();
                    }
                    return method.invoke(MetricsExporter.NOOP, args);
                });
    }

    private Handler collector() {
        return new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                    lines.add(line);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
