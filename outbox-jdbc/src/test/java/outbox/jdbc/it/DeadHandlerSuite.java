package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DeadEvent;
import outbox.DeadEventHandler;
import outbox.DeadEventInTransaction;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.Outcome;
import outbox.PermanentFailureException;
import outbox.dispatch.Unroutable;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.model.PauseTarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Whoever is to be told of dead events is told, whatever happens, and nothing that goes wrong there changes what has become of the event. */
@Timeout(90)
abstract class DeadHandlerSuite {

    private static final TableName TABLE = TableName.of("dying_outbox");
    private static final String COPIES = "dying_copies";
    private static final String NOTICE = "outbox.EventDied";

    private final Queue<DeadEvent> told = new ConcurrentLinkedQueue<>();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void newTables() {
        dropTables();
        Tables.execute(database().pool(), "CREATE TABLE " + COPIES + " (event_id VARCHAR(100))");
    }

    @AfterEach
    void dropTables() {
        for (String behind : List.of("_node", "_pause")) {
            Tables.drop(database().pool(), TABLE.beside(behind));
        }
        Tables.drop(database().pool(), TABLE);
        Tables.execute(database().pool(), "DROP TABLE IF EXISTS " + COPIES);
    }

    private OutboxBuilder describe() {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .poller(settings -> settings.intervalMs(50))
                .listener(
                        "Fails",
                        Listener.of((EventEnvelope event) -> {
                                    throw new IllegalStateException("no good");
                                })
                                .maxAttempts(2)
                                .retryPolicy(attempts -> 0))
                .listener("Never", Listener.of((event, delivery) -> Outcome.dead("not ours")))
                .listener(
                        "Old",
                        Listener.of((EventEnvelope event) -> {
                                    delivered.add(event.eventId());
                                })
                                .expiresAfter(Duration.ofMillis(1)))
                .listener(
                        "Holds",
                        Listener.of((EventEnvelope event) -> {
                                    throw new PermanentFailureException("stop");
                                })
                                .holdingKeyAfterDead())
                .listener("Fine", event -> delivered.add(event.eventId()));
    }

    private Outbox started(UnaryOperator<OutboxBuilder> settings) {
        Outbox outbox = settings.apply(describe()).build();
        outbox.start();
        return outbox;
    }

    private void write(Outbox outbox, String type, String id) {
        outbox.inTransaction(tx -> {
            outbox.write(event(type, id));
        });
    }

    private static EventEnvelope event(String type, String id) {
        return EventEnvelope.builder(type)
                .aggregateType("Thing")
                .aggregateId("key of " + id)
                .tenantId("acme")
                .eventId(id)
                .payloadJson("{\"secret\": \"of " + id + "\"}")
                .build();
    }

    private void awaitThat(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() < end)
                    .as("%s in time; told: %s, rows: %s", what, told, rows())
                    .isTrue();
            Thread.onSpinWait();
        }
    }

    private List<String> rows() {
        return Tables.select(database().pool(), "SELECT CONCAT(event_type, ' ', event_id, ' ', status) FROM " + TABLE);
    }

    private String statusOf(String id) {
        return Tables.select(database().pool(), "SELECT status FROM " + TABLE + " WHERE event_id = '" + id + "'")
                .get(0);
    }

    private List<String> noticeStates() {
        return Tables.select(database().pool(), "SELECT status FROM " + TABLE + " WHERE event_type = '" + NOTICE + "'");
    }

    private List<String> copies() {
        return Tables.select(database().pool(), "SELECT event_id FROM " + COPIES + " ORDER BY event_id");
    }

    private DeadEvent toldOf(String id) {
        awaitThat(
                "told of " + id,
                () -> told.stream().anyMatch(event -> event.eventId().equals(id)));
        return told.stream()
                .filter(event -> event.eventId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void copy(Connection connection, String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO " + COPIES + " VALUES ('" + id + "')");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"after", "in"})
    void however_an_event_dies_it_is_told(String when) {
        UnaryOperator<OutboxBuilder> handler = settings -> when.equals("after")
                ? settings.deadHandler(told::add)
                : settings.deadHandlerInTransaction((event, connection) -> told.add(event));
        try (Outbox writer = describe().writerOnly().build()) {
            write(writer, "Fails", "attempts");
            write(writer, "Never", "permanent");
            write(writer, "Old", "expired");
            write(writer, "Holds", "holding");
            write(writer, "Unknown", "unknown");
            write(writer, "Fine", "crashed");
            write(writer, "Fine", "undecodable");
            write(writer, "Fine", "healthy");
        }
        Tables.execute(
                database().pool(),
                "UPDATE " + TABLE
                        + " SET status = 2, locked_by = 'gone', locked_at = '2024-01-01 00:00:00', attempts = 3,"
                        + " last_error = '(suspect 03) Delivery begun after its lease had expired' WHERE event_id = 'crashed'",
                "UPDATE " + TABLE + " SET headers = '[\"no\", \"headers\"]' WHERE event_id = 'undecodable'");

        try (Outbox outbox =
                started(settings -> handler.apply(settings.ordered().unroutable(Unroutable.DEAD)))) {
            assertThat(toldOf("attempts").error()).contains("no good");
            assertThat(toldOf("attempts").attempts()).isEqualTo(2);
            assertThat(toldOf("permanent").error()).contains("not ours");
            assertThat(toldOf("expired").error()).startsWith("(too old) ");
            assertThat(toldOf("expired").attempts()).isZero();
            assertThat(toldOf("holding").holdsKey()).isTrue();
            assertThat(toldOf("unknown").error()).contains("Unknown");
            assertThat(toldOf("crashed").error()).contains("process ended");
            assertThat(toldOf("undecodable").error()).startsWith("Cannot be decoded: ");
            DeadEvent one = toldOf("permanent");
            assertThat(one.eventType()).isEqualTo("Never");
            assertThat(one.aggregateId()).isEqualTo("key of permanent");
            assertThat(one.tenantId()).isEqualTo("acme");
            assertThat(Objects.requireNonNull(one.row()).payloadJson()).isEqualTo("{\"secret\": \"of permanent\"}");
            awaitThat("the healthy one", () -> delivered.contains("healthy"));
            awaitThat("all notices done", () -> noticeStates().stream().allMatch("1"::equals));
            awaitThat("one key held", () -> outbox.blockedKeys().query(10).size() == 1);
        }
        assertThat(told).hasSize(7);
        assertThat(noticeStates()).hasSize(when.equals("after") ? 7 : 0);
        assertThat(delivered).containsExactly("healthy");
        assertThat(Tables.select(
                        database().pool(), "SELECT payload FROM " + TABLE + " WHERE event_type = '" + NOTICE + "'"))
                .noneMatch(payload -> payload.contains("secret"));
    }

    @Test
    void a_handler_that_fails_is_told_again_and_the_event_stays_dead() {
        AtomicInteger calls = new AtomicInteger();
        DeadEventHandler failing = event -> {
            if (calls.incrementAndGet() < 4) {
                throw new PermanentFailureException(
                        "topic is away, " + Objects.requireNonNull(event.row()).payloadJson());
            }
            told.add(event);
        };
        try (Outbox outbox = started(settings -> settings.dispatcher(
                dispatcher -> dispatcher.deadHandler(failing, listener -> listener.retryPolicy(attempts -> 0))))) {
            write(outbox, "Never", "one");
            toldOf("one");
            awaitThat("notice done", () -> noticeStates().equals(List.of("1")));
            assertThat(statusOf("one")).isEqualTo("3");
            assertThat(outbox.deadEvents().count(null)).isEqualTo(1);
        }
        assertThat(calls).hasValue(4);
        assertThat(Tables.select(
                                database().pool(),
                                "SELECT last_error FROM " + TABLE + " WHERE event_type = '" + NOTICE + "'")
                        .get(0))
                .contains("topic is away")
                .doesNotContain("of one");
    }

    @Test
    void another_process_tells_if_this_one_ends_between_the_mark_and_the_call() {
        try (Outbox outbox = started(settings -> settings.deadHandler(told::add))) {
            outbox.pauses().here(PauseTarget.eventType(NOTICE), "it ends before it gets to the call");
            write(outbox, "Never", "one");
            awaitThat("dead", () -> statusOf("one").equals("3"));
            assertThat(noticeStates()).containsExactly("0");
        }
        assertThat(told).isEmpty();
        try (Outbox withoutHandler =
                started(settings -> settings.defaultListener(event -> delivered.add(event.eventId())))) {
            write(withoutHandler, "Anything", "other");
            awaitThat("others are delivered", () -> statusOf("other").equals("1"));
        }
        assertThat(noticeStates()).containsExactly("0");
        assertThat(delivered).containsExactly("other");
        try (Outbox other = started(settings -> settings.deadHandler(told::add))) {
            toldOf("one");
            awaitThat("notice done", () -> noticeStates().equals(List.of("1")));
        }
        assertThat(told).hasSize(1);
    }

    @Test
    void whatever_becomes_of_the_row_before_the_call_the_handler_is_told() {
        try (Outbox outbox = started(settings -> settings.deadHandler(told::add))) {
            outbox.pauses().here(PauseTarget.eventType(NOTICE), "later");
            write(outbox, "Never", "purged");
            write(outbox, "Never", "replayed");
            awaitThat(
                    "dead",
                    () -> statusOf("purged").equals("3") && statusOf("replayed").equals("3"));
            outbox.pauses().here(PauseTarget.eventType("Never"), "it is not to die again");
            Tables.execute(database().pool(), "DELETE FROM " + TABLE + " WHERE event_id = 'purged'");
            assertThat(outbox.deadEvents().replay("replayed")).isTrue();
            outbox.pauses().resumeHere(PauseTarget.eventType(NOTICE));

            assertThat(toldOf("purged").row()).isNull();
            assertThat(toldOf("purged").error()).contains("not ours");
            assertThat(toldOf("replayed").row()).isNotNull();
        }
        assertThat(told).hasSize(2);
    }

    @Test
    void what_it_does_in_the_transaction_of_the_mark_is_committed_with_it() {
        DeadEventInTransaction copying = (event, connection) -> {
            assertThat(connection.getAutoCommit()).isFalse();
            copy(connection, event.eventId());
            told.add(event);
        };
        try (Outbox outbox = started(settings -> settings.deadHandlerInTransaction(copying))) {
            for (int i = 0; i < 20; i++) {
                write(outbox, i % 2 == 0 ? "Never" : "Fine", "event" + i);
            }
            for (int i = 0; i < 20; i += 2) {
                toldOf("event" + i);
            }
            awaitThat("copies", () -> copies().size() == 10);
        }
        assertThat(told).hasSize(10);
        assertThat(noticeStates()).isEmpty();
    }

    @Test
    void what_it_does_before_it_fails_in_that_transaction_is_undone_and_done_later_in_its_own() {
        AtomicInteger calls = new AtomicInteger();
        DeadEventInTransaction failing = (event, connection) -> {
            copy(connection, event.eventId());
            if (calls.incrementAndGet() == 1) {
                copy(connection, "too long for the column ".repeat(10)); // ends a transaction of PostgreSQL
            }
            if (calls.get() == 2) {
                throw new IllegalStateException("not yet");
            }
            told.add(event);
        };
        try (Outbox outbox = started(settings -> settings.deadHandlerInTransaction(failing))) {
            write(outbox, "Never", "one");
            awaitThat("dead", () -> statusOf("one").equals("3"));
            toldOf("one");
            awaitThat("notice done", () -> noticeStates().equals(List.of("1")));
        }
        assertThat(calls).hasValue(3);
        assertThat(copies()).containsExactly("one");
        assertThat(statusOf("one")).isEqualTo("3");
    }

    @Test
    void it_may_write_events_there_and_cannot_end_the_transaction() {
        AtomicReference<Outbox> running = new AtomicReference<>();
        Queue<Exception> refused = new ConcurrentLinkedQueue<>();
        DeadEventInTransaction compensating = (event, connection) -> {
            for (String end : List.of("commit", "rollback", "setAutoCommit")) {
                try {
                    switch (end) {
                        case "commit" -> connection.commit();
                        case "rollback" -> connection.rollback();
                        default -> connection.setAutoCommit(true);
                    }
                } catch (SQLException e) {
                    refused.add(e);
                }
            }
            running.get().on(connection).write(event("Fine", "compensation of " + event.eventId()));
            connection.close();
        };
        try (Outbox outbox = describe().deadHandlerInTransaction(compensating).build()) {
            running.set(outbox);
            outbox.start();
            write(outbox, "Never", "one");
            awaitThat("compensated", () -> delivered.contains("compensation of one"));
        }
        assertThat(refused).hasSize(3).allMatch(e -> e.getMessage().contains("return to let it be committed"));
        assertThat(noticeStates()).isEmpty();
    }

    @Test
    void without_leases_too() {
        try (Outbox outbox = started(settings -> settings.singleProcess().deadHandler(told::add))) {
            write(outbox, "Never", "one");
            write(outbox, "Fails", "two");
            toldOf("one");
            toldOf("two");
            awaitThat("notices done", () -> noticeStates().equals(List.of("1", "1")));
        }
        assertThat(told).hasSize(2);
    }

    @Test
    void somebody_elses_event_of_that_type_ends_dead_and_is_no_notice() {
        try (Outbox outbox = started(settings -> settings.deadHandler(told::add))) {
            write(outbox, NOTICE, "forged");
            awaitThat("dead", () -> statusOf("forged").equals("3"));
        }
        assertThat(told).isEmpty();
        assertThat(noticeStates()).containsExactly("3");
    }

    @Test
    void a_handler_that_is_not_given_is_refused() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> describe().deadHandler(null))
                .withMessage("handler");
    }
}
