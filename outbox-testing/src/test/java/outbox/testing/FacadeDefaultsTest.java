package outbox.testing;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.config.OutboxSwitches;
import outbox.model.EventStatus;
import outbox.spi.MetricsExporter;
import outbox.spi.RelayLock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What an outbox does of which nobody has set anything, by a clock that the test moves. */
@Timeout(120)
class FacadeDefaultsTest {

    /** To within a quarter of an hour: 1 s, 2 s … 512 s, and 141 times ten minutes. */
    private static final Duration A_DAY = Duration.ofSeconds(1_023 + 141 * 600);

    private static final Duration LONGEST_JITTER = Duration.ofMillis(200);

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final ManualClock clock = ManualClock.at(start);
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTransactions transactions = new InMemoryTransactions();
    private final Semaphore outcomes = new Semaphore(0);
    private final AtomicInteger deliveries = new AtomicInteger();

    private OutboxBuilder builder(EventListener listener) {
        return Outbox.builder(store, transactions, transactions)
                .listener("OrderPlaced", event -> {
                    deliveries.incrementAndGet();
                    listener.onEvent(event);
                })
                .purger(store)
                .metrics(metrics())
                .dispatcher(settings -> settings.clock(clock).completionLingerMs(0))
                .poller(settings -> settings.clock(clock).intervalMs(1));
    }

    /** Tells of each outcome once it is in the table. */
    private MetricsExporter metrics() {
        return (MetricsExporter) Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> {
                    Object answer = method.invoke(MetricsExporter.NOOP, args);
                    if (List.of("incrementDispatchSuccess", "incrementDispatchFailure", "incrementDispatchDead")
                            .contains(method.getName())) {
                        outcomes.release();
                    }
                    return answer;
                });
    }

    /** Writes an event and lets time pass from one attempt to the next, until it is finished. Returns the pauses between them. */
    private List<Duration> deliver(Outbox outbox) throws InterruptedException {
        String id = Objects.requireNonNull(transactionally(outbox));
        List<Duration> pauses = new ArrayList<>();
        while (true) {
            assertTrue(outcomes.tryAcquire(60, TimeUnit.SECONDS), "no outcome after " + pauses.size() + " retries");
            StoredEvent row = Objects.requireNonNull(store.find(id));
            if (row.status() != EventStatus.RETRY) {
                return pauses;
            }
            Duration pause = Duration.between(clock.instant(), row.availableAt());
            pauses.add(pause);
            clock.advance(pause);
        }
    }

    private String transactionally(Outbox outbox) {
        String[] id = new String[1];
        transactions.run(() -> id[0] = outbox.write("OrderPlaced", "{}"));
        return id[0];
    }

    private static EventListener failing() {
        return event -> {
            throw new IllegalStateException("not today");
        };
    }

    private static void assertWithin(Duration least, List<Duration> pauses, int attempt) {
        Duration pause = pauses.get(attempt - 1);
        assertTrue(
                pause.compareTo(least) >= 0 && pause.compareTo(least.plus(LONGEST_JITTER)) <= 0,
                () -> "pause after attempt " + attempt + " was " + pause + ", not " + least + " and up to 200 ms");
    }

    @Test
    void an_event_is_tried_for_a_day_in_152_attempts_before_it_is_dead() throws Exception {
        List<Duration> pauses;
        try (Outbox outbox = builder(failing()).build()) {
            outbox.start();
            pauses = deliver(outbox);
        }

        assertEquals(EventStatus.DEAD, store.all().get(0).status());
        assertEquals(152, deliveries.get());
        assertEquals(151, pauses.size());
        for (int attempt = 1; attempt <= pauses.size(); attempt++) {
            long seconds = Math.min(1L << Math.min(attempt - 1, 20), 600);
            assertWithin(Duration.ofSeconds(seconds), pauses, attempt);
        }
        Duration all = pauses.stream().reduce(Duration.ZERO, Duration::plus);
        assertTrue(all.compareTo(A_DAY) >= 0, () -> "given up after " + all);
    }

    @Test
    void a_listener_that_fails_for_an_hour_loses_nothing() throws Exception {
        Instant mended = start.plus(Duration.ofHours(1));
        try (Outbox outbox = builder(event -> {
                    if (clock.instant().isBefore(mended)) {
                        throw new IllegalStateException("not yet");
                    }
                })
                .build()) {
            outbox.start();
            List<Duration> pauses = deliver(outbox);
            assertTrue(pauses.size() >= 10, pauses::toString);
        }

        assertEquals(EventStatus.DONE, store.all().get(0).status());
        assertTrue(clock.instant().isBefore(mended.plus(Duration.ofMinutes(11))), "found late");
    }

    @Test
    void the_switches_are_the_operators_defaults_as_a_whole() throws Exception {
        AtomicInteger held = new AtomicInteger();
        RelayLock lock = new RelayLock() {
            @Override
            public boolean tryHold() {
                held.incrementAndGet();
                return true;
            }

            @Override
            public void close() {}
        };
        List<Duration> pauses;
        try (Outbox outbox = builder(failing())
                .relayLocks(() -> lock)
                .switches(OutboxSwitches.from(Map.of("OUTBOX_RELAY_POLL_INTERVAL", "1ms")))
                .build()) {
            outbox.start();
            pauses = deliver(outbox);
        }

        assertEquals(25, deliveries.get());
        assertEquals(24, pauses.size());
        for (int attempt = 1; attempt <= pauses.size(); attempt++) {
            assertWithin(Duration.ofSeconds(Math.min(1L << Math.min(attempt - 1, 20), 60)), pauses, attempt);
        }
        assertTrue(held.get() > 0, "one process at a time delivers");
        purgesOnlyDone(lock);
    }

    /** Beside the DEAD event of which all attempts were used up there is a DONE one; eight days later that one is gone. */
    private void purgesOnlyDone(RelayLock lock) throws InterruptedException {
        try (Outbox outbox = builder(event -> {})
                .relayLocks(() -> lock)
                .switches(OutboxSwitches.from(Map.of("OUTBOX_RELAY_POLL_INTERVAL", "1ms")))
                .build()) {
            outbox.start();
            deliver(outbox);
        }
        StoredEvent dead = only(EventStatus.DEAD);
        StoredEvent done = only(EventStatus.DONE);
        clock.advance(Duration.ofDays(8));

        try (Outbox outbox = builder(event -> {})
                .relayLocks(() -> lock)
                .switches(OutboxSwitches.from(Map.of()))
                .purge(settings -> settings.clock(clock))
                .build()) {
            outbox.start();
            while (store.find(done.eventId()) != null) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
        }
        assertNotNull(store.find(dead.eventId()));
        assertNull(store.find(done.eventId()));
    }

    private StoredEvent only(EventStatus status) {
        List<StoredEvent> found =
                store.all().stream().filter(row -> row.status() == status).toList();
        assertEquals(1, found.size());
        return found.get(0);
    }
}
