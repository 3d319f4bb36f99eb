package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.Outcome;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.spi.MetricsExporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Of some types only the newest event of a key is delivered, and nothing is ended that has begun or that nothing committed is newer than. */
@Timeout(120)
abstract class CompactionSuite {

    private static final TableName TABLE = TableName.of("compacted_outbox");
    private static final String PRICE = "PriceChanged";

    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger superseded = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    abstract TestedDatabase database();

    @BeforeEach
    @AfterEach
    void dropTables() {
        for (String behind : List.of("_node", "_pause")) {
            Tables.drop(database().pool(), TABLE.beside(behind));
        }
        Tables.drop(database().pool(), TABLE);
    }

    @AfterEach
    void letGo() {
        goOn.countDown();
    }

    private final class Counting extends MetricsExporter.Noop {
        @Override
        public void eventsSuperseded(String eventType, int events) {
            assertThat(eventType).isEqualTo(PRICE);
            superseded.addAndGet(events);
        }
    }

    private OutboxBuilder describe(boolean ordered) {
        OutboxBuilder builder = JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .metrics(new Counting())
                .poller(settings -> settings.intervalMs(50))
                .onlyNewest(PRICE);
        return ordered ? builder.ordered() : builder;
    }

    private Outbox started(boolean ordered, UnaryOperator<OutboxBuilder> settings) {
        Outbox outbox = settings.apply(describe(ordered)).build();
        outbox.start();
        return outbox;
    }

    private Outbox started(boolean ordered, Listener listener) {
        return started(ordered, settings -> settings.listener(PRICE, listener));
    }

    private Outbox writer() {
        return describe(true).writerOnly().build();
    }

    private Listener noting() {
        return Listener.of((EventEnvelope event) -> {
            delivered.add(event.eventId());
        });
    }

    private static EventEnvelope event(String type, String key, String id) {
        return EventEnvelope.builder(type)
                .aggregateType("Article")
                .aggregateId(key)
                .eventId(id)
                .payloadJson("{}")
                .build();
    }

    private static void write(Outbox outbox, String type, String key, String... ids) {
        for (String id : ids) {
            outbox.inTransaction(tx -> {
                outbox.write(event(type, key, id));
            });
        }
    }

    private void awaitThat(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() < end)
                    .as("%s in time; delivered: %s, rows: %s", what, delivered, rows())
                    .isTrue();
            Thread.onSpinWait();
        }
    }

    private List<String> rows() {
        return Tables.select(
                database().pool(),
                "SELECT CONCAT(event_id, ' ', status, ' ', COALESCE(last_error, '')) FROM " + TABLE + " ORDER BY seq");
    }

    private boolean allDone() {
        return Tables.select(database().pool(), "SELECT event_id FROM " + TABLE + " WHERE status <> 1")
                .isEmpty();
    }

    private List<String> supersededRows() {
        return Tables.select(
                database().pool(),
                "SELECT event_id FROM " + TABLE
                        + " WHERE status = 1 AND last_error LIKE '(superseded) %' ORDER BY seq");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Listener blockingAt(String id) {
        return Listener.of((EventEnvelope event) -> {
            delivered.add(event.eventId());
            if (event.eventId().equals(id)) {
                begun.countDown();
                await(goOn);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void of_what_waits_while_one_runs_only_the_newest_is_delivered(boolean ordered) {
        try (Outbox outbox = started(ordered, blockingAt("1").concurrency(1))) {
            write(outbox, PRICE, "a", "1");
            await(begun);
            write(outbox, PRICE, "a", "2", "3");
            write(outbox, PRICE, "b", "other");
            write(outbox, PRICE, "a", "4");
            goOn.countDown();
            awaitThat("all done", this::allDone);
            awaitThat("counted", () -> superseded.get() == 2);
        }
        assertThat(delivered).containsExactlyInAnyOrder("1", "4", "other");
        assertThat(supersededRows()).containsExactly("2", "3");
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void of_a_backlog_only_the_newest_of_each_key_is_delivered(boolean ordered, boolean inBatches) {
        try (Outbox writer = writer()) {
            for (int i = 0; i < 40; i++) {
                write(writer, PRICE, "a", "a" + i);
                write(writer, PRICE, "b", "b" + i);
                write(writer, "Sold", "a", "sold" + i);
            }
        }
        Listener batch = Listener.batch(20, Duration.ofMillis(20), all -> {
            all.stream().map(Delivery::eventId).forEach(delivered::add);
            return Outcome.allDone(all);
        });
        Queue<String> sold = new ConcurrentLinkedQueue<>();
        try (Outbox outbox = started(
                ordered,
                settings -> settings.listener(PRICE, inBatches ? batch : noting())
                        .listener("Sold", event -> sold.add(event.eventId())))) {
            awaitThat("all done", this::allDone);
            awaitThat("counted", () -> superseded.get() == 78);
        }
        assertThat(delivered).containsExactlyInAnyOrder("a39", "b39");
        assertThat(sold).hasSize(40);
        assertThat(supersededRows()).hasSize(78);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_is_not_committed_is_not_newer(boolean ordered) throws SQLException {
        try (Outbox writer = writer()) {
            write(writer, PRICE, "a", "1");
            write(writer, PRICE, "b", "2");
        }
        try (Connection a = database().pool().getConnection();
                Connection b = database().pool().getConnection()) {
            insertNewer(a, "a", "newer of a");
            insertNewer(b, "b", "newer of b");
            try (Outbox outbox = started(ordered, noting())) {
                awaitThat("both delivered", () -> delivered.size() == 2);
                assertThat(delivered).containsExactlyInAnyOrder("1", "2");
                a.rollback();
                b.commit();
                awaitThat("the committed one", () -> delivered.contains("newer of b"));
                awaitThat("all done", this::allDone);
            } finally {
                a.setAutoCommit(true);
                b.setAutoCommit(true);
            }
        }
        assertThat(delivered).hasSize(3);
        assertThat(supersededRows()).isEmpty();
        assertThat(superseded).hasValue(0);
    }

    private static void insertNewer(Connection connection, String key, String id) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO " + TABLE
                    + " (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts, available_at, created_at) VALUES ('"
                    + id + "', '" + PRICE + "', 'Article', '" + key
                    + "', '{}', 0, 0, '2024-01-01 00:00:00', '2024-01-01 00:00:00')");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void one_that_is_to_be_repeated_much_later_does_not_keep_a_newer_one_waiting(boolean ordered) {
        Listener failing = Listener.of((EventEnvelope event) -> {
                    delivered.add(event.eventId());
                    if (event.eventId().startsWith("bad")) {
                        throw new IllegalStateException("not now");
                    }
                })
                .retryPolicy(attempts -> TimeUnit.HOURS.toMillis(1));
        try (Outbox outbox = started(ordered, failing)) {
            write(outbox, PRICE, "a", "bad 1");
            awaitThat("failed", () -> rows().get(0).startsWith("bad 1 2"));
            write(outbox, PRICE, "a", "good 1");
            awaitThat("newer delivered", () -> delivered.contains("good 1"));
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactly("bad 1", "good 1");
        assertThat(supersededRows()).containsExactly("bad 1");
        assertThat(superseded).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nor_does_one_that_fails_when_the_newer_one_is_there(boolean ordered) {
        Listener failing = Listener.of((EventEnvelope event) -> {
                    delivered.add(event.eventId());
                    if (event.eventId().equals("bad")) {
                        begun.countDown();
                        await(goOn);
                        throw new IllegalStateException("not now");
                    }
                })
                .concurrency(1)
                .retryPolicy(attempts -> TimeUnit.HOURS.toMillis(1));
        try (Outbox outbox = started(ordered, failing)) {
            write(outbox, PRICE, "a", "bad");
            await(begun);
            write(outbox, PRICE, "a", "good");
            goOn.countDown();
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactly("bad", "good");
        assertThat(supersededRows()).containsExactly("bad");
    }

    /** Without order: what another process holds and has not begun must not be delivered after the newest one. */
    @Test
    void what_another_process_holds_is_not_delivered_after_the_newest_one() {
        Listener blocking = Listener.of((EventEnvelope event) -> {
            begun.countDown();
            await(goOn);
        });
        try (Outbox a = started(
                false,
                settings -> settings.listener(PRICE, noting())
                        .listener("Block", blocking.concurrency(1))
                        .dispatcher(dispatcher -> dispatcher.workerCount(1)))) {
            write(a, "Block", "block", "block");
            await(begun);
            write(a, PRICE, "a", "held 1", "held 2");
            assertThat(Tables.select(
                            database().pool(),
                            "SELECT event_id FROM " + TABLE + " WHERE event_type = '" + PRICE
                                    + "' AND locked_by IS NOT NULL"))
                    .hasSize(2);
            try (Outbox b = started(false, noting())) {
                write(b, PRICE, "a", "newest");
                awaitThat("newest done", () -> rows().contains("newest 1 "));
                assertThat(delivered).containsExactly("newest");
            }
            goOn.countDown();
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactly("newest");
        assertThat(supersededRows()).containsExactly("held 1", "held 2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void two_processes_deliver_the_newest_of_each_key_and_lose_none(boolean ordered) throws InterruptedException {
        int keys = 6;
        int each = 60;
        Map<String, Integer> written = new TreeMap<>();
        Queue<String> backwards = new ConcurrentLinkedQueue<>();
        Map<String, Integer> latest = new ConcurrentHashMap<>();
        Listener checking = Listener.of((EventEnvelope event) -> {
                    int number = Integer.parseInt(event.eventId().replaceAll(".* ", ""));
                    String key = String.valueOf(event.aggregateId());
                    int before = latest.merge(key, number, Math::max);
                    if (before > number) {
                        backwards.add(event.eventId() + " after " + before);
                    }
                    delivered.add(event.eventId());
                    if (number % 7 == 0 && !delivered.contains("failed " + event.eventId())) {
                        delivered.add("failed " + event.eventId());
                        throw new IllegalStateException("once");
                    }
                })
                .retryPolicy(attempts -> 20);
        try (Outbox a = started(ordered, checking);
                Outbox b = started(ordered, checking)) {
            Thread[] writers = new Thread[keys];
            for (int k = 0; k < keys; k++) {
                String key = "key" + k;
                written.put(key, each);
                writers[k] = new Thread(() -> writeSome(new Random(key.hashCode()), key, each, a, b));
                writers[k].start();
            }
            for (Thread writer : writers) {
                writer.join();
            }
            awaitThat("all done", this::allDone);
        }
        for (String key : written.keySet()) {
            assertThat(delivered).as("the newest of %s", key).contains(key + " " + (each - 1));
        }
        List<String> ended = supersededRows();
        assertThat(superseded).hasValue(ended.size());
        List<String> all = new ArrayList<>(delivered);
        all.removeIf(id -> id.startsWith("failed"));
        for (int k = 0; k < keys; k++) {
            for (int i = 0; i < each; i++) {
                String id = "key" + k + " " + i;
                assertThat(all.contains(id) || ended.contains(id)).as(id).isTrue();
            }
        }
        if (ordered) {
            assertThat(backwards).isEmpty();
        }
    }

    private static void writeSome(Random random, String key, int count, Outbox a, Outbox b) {
        for (int i = 0; i < count; i++) {
            write(random.nextBoolean() ? a : b, PRICE, key, key + " " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_may_have_begun_in_a_process_that_died_is_delivered(boolean ordered) {
        try (Outbox writer = writer()) {
            write(writer, PRICE, "a", "1", "2", "3");
        }
        Tables.execute(
                database().pool(),
                "UPDATE " + TABLE + " SET locked_by = 'gone', locked_at = '2024-01-01 00:00:00' WHERE event_id = '1'");
        try (Outbox outbox = started(ordered, noting())) {
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactlyInAnyOrder("1", "3");
        assertThat(supersededRows()).containsExactly("2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_is_delayed_replaces_nothing_before_it_is_due(boolean ordered) {
        try (Outbox writer = writer()) {
            write(writer, PRICE, "a", "old", "today");
            writer.inTransaction(tx -> {
                writer.write(EventEnvelope.builder(PRICE)
                        .aggregateType("Article")
                        .aggregateId("a")
                        .eventId("tomorrow")
                        .deliverAfter(Duration.ofDays(1))
                        .payloadJson("{}")
                        .build());
            });
        }
        try (Outbox outbox = started(ordered, noting())) {
            awaitThat("today's", () -> rows().contains("today 1 "));
            Tables.execute(
                    database().pool(),
                    "UPDATE " + TABLE + " SET available_at = '2024-01-01 00:00:00' WHERE event_id = 'tomorrow'");
            write(outbox, PRICE, "b", "wakes the poller");
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactlyInAnyOrder("today", "tomorrow", "wakes the poller");
        assertThat(supersededRows()).containsExactly("old");
    }

    @Test
    void every_event_without_a_key_matters() {
        try (Outbox writer = writer()) {
            for (String id : List.of("1", "2", "3")) {
                writer.inTransaction(tx -> {
                    writer.write(EventEnvelope.builder(PRICE)
                            .eventId(id)
                            .payloadJson("{}")
                            .build());
                });
            }
        }
        try (Outbox outbox = started(false, noting())) {
            awaitThat("all done", this::allDone);
        }
        assertThat(delivered).containsExactlyInAnyOrder("1", "2", "3");
    }

    @Test
    void whoever_asks_for_what_cannot_be_is_told() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> describe(false)
                        .listener(PRICE, noting())
                        .singleProcess()
                        .build())
                .withMessageContaining("leave out singleProcess() or onlyNewest(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> describe(false)
                        .onlyNewest(" ")
                        .listener(PRICE, noting())
                        .build())
                .withMessageContaining("eventType");
        describe(false).writerOnly().build().close();
        Tables.execute(database().pool(), database().dropIndex("idx_" + TABLE + "_key", TABLE.toString()));
        try (Outbox outbox = JdbcOutbox.builder(database().pool(), TABLE)
                .onlyNewest(PRICE)
                .listener(PRICE, noting())
                .build()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(outbox::start)
                    .withMessageContaining("aggregate_id");
        }
    }
}
