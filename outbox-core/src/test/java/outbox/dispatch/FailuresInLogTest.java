package outbox.dispatch;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.hot;

/** What the log tells of failed deliveries. */
class FailuresInLogTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualNanos nanos = new ManualNanos();
    private final RecordingStore store = new RecordingStore();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    private OutboxDispatcher.Builder dispatcher(EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .workerCount(1)
                .maxAttempts(3)
                .completionLingerMs(0)
                .nanoTime(nanos);
    }

    private void deliver(OutboxDispatcher dispatcher, QueuedEvent event) throws InterruptedException {
        store.insertNew(null, event.envelope());
        assertThat(dispatcher.enqueueHot(event)).isTrue();
        store.nextMark();
    }

    private List<CapturedLog.Line> at(Level level) {
        return log.lines().stream().filter(line -> line.level().equals(level)).toList();
    }

    private static void fail(EventEnvelope event) {
        throw new IllegalStateException("no " + event.eventId());
    }

    @Test
    void the_first_failure_and_the_last_are_told_with_their_stack_and_those_between_for_debugging() throws Exception {
        try (OutboxDispatcher dispatcher = dispatcher(FailuresInLogTest::fail).build()) {
            for (int attempts = 0; attempts < 3; attempts++) {
                deliver(dispatcher, hot("a" + attempts, attempts));
            }
        }

        assertThat(at(Level.WARNING)).hasSize(1);
        assertThat(at(Level.WARNING).get(0).text()).contains("Event a0", "failed, next attempt at", "no a0");
        assertThat(stackOf(at(Level.WARNING).get(0)))
                .contains("IllegalStateException: no a0", "FailuresInLogTest.fail");
        assertThat(at(Level.FINE)).anyMatch(line -> line.text().contains("Event a1") && line.thrown() == null);
        assertThat(at(Level.SEVERE)).hasSize(1);
        assertThat(at(Level.SEVERE).get(0).text()).contains("Event a2", "is DEAD after 3 failed attempt(s)");
        assertThat(stackOf(at(Level.SEVERE).get(0))).contains("FailuresInLogTest.fail");
    }

    private static String stackOf(CapturedLog.Line line) {
        StringWriter out = new StringWriter();
        line.thrown().printStackTrace(new PrintWriter(out));
        return out.toString();
    }

    @Test
    void a_flood_is_one_line_and_a_number_and_nothing_is_swallowed() throws Exception {
        int flood = 2_000;
        OutboxDispatcher.Builder unroutable = dispatcher(event -> {}).listenerRegistry(new DefaultListenerRegistry());
        try (OutboxDispatcher dispatcher = unroutable.build()) {
            for (int i = 0; i < flood; i++) {
                deliver(dispatcher, hot("e" + i));
            }
            assertThat(at(Level.SEVERE)).hasSize(1);

            nanos.advance(Duration.ofMinutes(1));
            deliver(dispatcher, hot("later"));
            deliver(dispatcher, hot("last"));
        }

        assertThat(at(Level.SEVERE))
                .extracting(CapturedLog.Line::text)
                .satisfiesExactly(
                        first -> assertThat(first).contains("Event e0"),
                        next -> assertThat(next)
                                .contains("Event later", (flood - 1) + " more like it in the last minute"),
                        end -> assertThat(end)
                                .startsWith(
                                        "1 more like it in the last minute: events of type \"" + TYPE + "\" are DEAD"));
        assertThat(store.count(EventStatus.DEAD)).isEqualTo(flood + 2);
    }

    @Test
    void the_number_is_told_by_a_poll_when_no_other_failure_comes() throws Exception {
        try (OutboxDispatcher dispatcher = dispatcher(FailuresInLogTest::fail).build()) {
            deliver(dispatcher, hot("a"));
            deliver(dispatcher, hot("b"));
            DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
            handler.link().pollStarting();
            handler.link().pollFinished();
            assertThat(at(Level.WARNING)).hasSize(1);

            nanos.advance(Duration.ofSeconds(65));
            handler.link().pollStarting();
            handler.link().pollFinished();
            assertThat(at(Level.WARNING)).hasSize(2);
            assertThat(at(Level.WARNING).get(1).text()).startsWith("1 more like it in the last minute: first failures");
        }
    }

    @Test
    void failures_of_other_classes_places_and_types_are_told_apart() throws Exception {
        EventListener listener = event -> {
            if (event.eventId().startsWith("state")) {
                throw new IllegalStateException(event.eventId());
            }
            throw new IllegalArgumentException(event.eventId());
        };
        try (OutboxDispatcher dispatcher = dispatcher(listener).build()) {
            for (String id : List.of("state1", "argument1", "state2", "argument2")) {
                deliver(dispatcher, hot(id));
            }
        }

        assertThat(at(Level.WARNING))
                .extracting(CapturedLog.Line::text)
                .filteredOn(text -> text.startsWith("Event "))
                .hasSize(2);
    }

    @Test
    void neither_line_nor_stack_shows_content_or_begins_a_line_of_its_own() throws Exception {
        EventEnvelope secret = EventEnvelope.builder(TYPE)
                .eventId("a")
                .payloadJson("{\"card\":\"4111111111111111\"}")
                .build();
        EventListener listener = event -> {
            throw new IllegalStateException(
                    "card 4111111111111111\nSEVERE: forged", new SQLException("row (4111111111111111)", "23505"));
        };
        try (OutboxDispatcher dispatcher = dispatcher(listener).build()) {
            deliver(dispatcher, new QueuedEvent(secret, QueuedEvent.Source.HOT, 0));
        }

        CapturedLog.Line told = at(Level.WARNING).get(0);
        assertThat(told.text() + stackOf(told)).doesNotContain("4111").doesNotContain("\nSEVERE");
        assertThat(stackOf(told)).contains("IllegalStateException: card ***", "SQLState 23505", "Caused by:");
    }

    @Test
    void who_wants_class_names_only_gets_no_messages_in_the_stack_either() throws Exception {
        EventListener listener = event -> {
            throw new IllegalStateException("outer words", new IllegalArgumentException("inner words"));
        };
        try (OutboxDispatcher dispatcher =
                dispatcher(listener).errorSummary(ErrorSummary.classNameOnly()).build()) {
            deliver(dispatcher, hot("a"));
        }

        assertThat(stackOf(at(Level.WARNING).get(0)))
                .contains("IllegalStateException", "Caused by: java.lang.IllegalArgumentException")
                .doesNotContain("words");
    }

    @Test
    void an_unroutable_event_is_named_with_what_is_registered_and_its_type_is_not_masked() throws Exception {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().registerForAggregate("Invoice", event -> {});
        IntStream.range(0, 12).forEach(i -> registry.register("Order", "Type" + (char) ('A' + i), event -> {}));
        EventEnvelope event = EventEnvelope.builder("OrderPlaced\nSEVERE: forged")
                .eventId("a")
                .aggregateType("Order")
                .payloadJson("{\"type\":\"OrderPlaced\"}")
                .build();
        try (OutboxDispatcher dispatcher =
                dispatcher(any -> {}).listenerRegistry(registry).build()) {
            deliver(dispatcher, new QueuedEvent(event, QueuedEvent.Source.HOT, 0));
        }

        assertThat(store.error("a"))
                .isEqualTo("outbox.dispatch.UnroutableEventException: No listener for aggregate type \"Order\" and"
                        + " event type \"OrderPlaced\\nSEVERE: forged\" (registered: Invoice/*, Order/TypeA, Order/TypeB,"
                        + " Order/TypeC, Order/TypeD, Order/TypeE, Order/TypeF, Order/TypeG, Order/TypeH, Order/TypeI"
                        + " and 3 more); register one and replay the event");
        assertThat(log.lines()).noneMatch(line -> line.text().contains("\n"));
        assertThat(stackOf(at(Level.SEVERE).get(0))).doesNotContain("\nSEVERE");
    }

    /** Only the library's own message is known to have nothing but names. */
    @Test
    void a_listener_that_throws_the_same_exception_is_masked_as_any_other() {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .payloadJson("{\"card\":\"4111111111111111\"}")
                .build();

        assertThat(ErrorSummary.withoutContent().of(event, new UnroutableEventException("card 4111111111111111")))
                .doesNotContain("4111");
    }
}
