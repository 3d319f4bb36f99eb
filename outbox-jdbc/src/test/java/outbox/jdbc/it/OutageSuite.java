package outbox.jdbc.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.Outcome;
import outbox.ReceiverAwayException;
import outbox.dispatch.SteppedAlarms;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;

/** A receiver that is away for an hour, with many events for it; the hour passes as the test says. Large numbers with -Plong. */
@Timeout(600)
abstract class OutageSuite {

    private static final TableName TABLE = TableName.of("outage_outbox");

    private static final boolean LONG = "long".equals(System.getProperty("outbox.test.form"));
    private static final int EVENTS = LONG ? 100_000 : 2_000;
    private static final int KEYS = 50;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration STEP = Duration.ofSeconds(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** A probe each minute, and those before the pauses have grown so long; more only because of what was under way in the beginning. */
    private static final int MOST_CALLS = 200;

    private final SteppedAlarms alarms = new SteppedAlarms();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private final Map<String, List<String>> arrived = new HashMap<>();
    private volatile boolean away = true;

    private enum Form {
        ONE_BY_ONE,
        WITH_STAGES,
        IN_BATCHES
    }

    private void bring(EventEnvelope event) {
        if (away) {
            throw new ReceiverAwayException("no answer");
        }
        synchronized (arrived) {
            arrived.computeIfAbsent(Objects.requireNonNull(event.aggregateId()), key -> new ArrayList<>())
                    .add(event.eventId());
        }
    }

    private Listener listener(Form form) {
        return switch (form) {
            case ONE_BY_ONE ->
                Listener.of((event, delivery) -> {
                    calls.incrementAndGet();
                    bring(event);
                    return Outcome.done();
                });
            case WITH_STAGES ->
                Listener.async((event, delivery) -> {
                    calls.incrementAndGet();
                    return CompletableFuture.supplyAsync(() -> {
                        bring(event);
                        return Outcome.done();
                    });
                });
            case IN_BATCHES ->
                Listener.batch(100, Duration.ZERO, batch -> {
                    calls.incrementAndGet();
                    batch.forEach(delivery -> bring(delivery.event()));
                    return Outcome.allDone(batch);
                });
        };
    }

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        Tables.drop(database().pool(), TABLE);
        Tables.drop(database().pool(), TableName.of(TABLE + "_node"));
        Tables.drop(database().pool(), TableName.of(TABLE + "_pause"));
    }

    /** What a probe puts off is due again at once, so that the breaker alone decides when something is delivered. */
    private Outbox outbox(Form form) {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .listener("Away", listener(form).retryPolicy(failures -> 1))
                .listener("Other", event -> others.incrementAndGet())
                .ordered()
                .withoutPurge()
                .dispatcher(alarms::of)
                .poller(settings -> settings.intervalMs(20))
                .build();
    }

    private List<EventEnvelope> write(Outbox outbox) throws Exception {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            events.add(EventEnvelope.builder("Away")
                    .aggregateId("k" + i % KEYS)
                    .payloadJson("{}")
                    .build());
        }
        for (int from = 0; from < EVENTS; from += 500) {
            List<EventEnvelope> some = events.subList(from, Math.min(EVENTS, from + 500));
            outbox.inTransaction(tx -> outbox.writer().writeAll(some));
        }
        return events;
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG ? 400 : 60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as(what).isNegative();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private int arrivals() {
        synchronized (arrived) {
            return arrived.values().stream().mapToInt(List::size).sum();
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void after_an_hour_none_is_DEAD_others_were_served_all_the_time_and_all_arrive_in_order(Form form)
            throws Exception {
        try (Outbox outbox = outbox(form)) {
            outbox.start();
            List<EventEnvelope> events = write(outbox);
            await("the breaker", () -> isClosedFor(outbox));
            int written = 0;
            for (Duration passed = Duration.ZERO; passed.compareTo(HOUR) < 0; passed = passed.plus(STEP)) {
                alarms.advance(STEP);
                int wanted = ++written;
                outbox.inTransaction(tx -> outbox.write("Other", "{}"));
                await("another listener's event", () -> others.get() == wanted);
            }
            assertThat(arrivals()).isZero();
            assertThat(calls.get()).as("calls while nobody was there").isLessThanOrEqualTo(MOST_CALLS);

            away = false;
            await("all of them", () -> {
                if (isClosedFor(outbox)) {
                    alarms.advance(LONGEST_PAUSE); // again, if a probe was under way that still met nobody
                }
                return arrivals() >= EVENTS;
            });
            assertThat(arrived).isEqualTo(byKey(events));
        }
        assertThat(Tables.select(
                        database().pool(), "SELECT count(*) FROM " + TABLE + " WHERE status = 1 AND attempts = 0"))
                .as("DONE without an attempt that failed")
                .containsExactly(Integer.toString(EVENTS + others.get()));
    }

    /** Whether there is a listener that nothing is delivered to for now. */
    private static boolean isClosedFor(Outbox outbox) {
        return outbox.listeners().stream().anyMatch(state -> !state.isDelivering());
    }

    private static Map<String, List<String>> byKey(List<EventEnvelope> events) {
        Map<String, List<String>> ids = new HashMap<>();
        events.forEach(
                event -> ids.computeIfAbsent(Objects.requireNonNull(event.aggregateId()), key -> new ArrayList<>())
                        .add(event.eventId()));
        return ids;
    }
}
