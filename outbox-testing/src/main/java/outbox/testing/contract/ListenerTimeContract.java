package outbox.testing.contract;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A receiver that does not answer, and a process that ends meanwhile. */
interface ListenerTimeContract extends ListenerTest {

    @Test
    default void without_an_answer_in_time_the_delivery_has_failed_and_is_repeated() {
        EventEnvelope event = ListenerTest.event(null);
        orAbort(() -> fixture().hang());
        try (Bench bench = bench()) {
            bench.write(event);
            ListenerTest.await("the timeout", () -> bench.row(event).attempts() == 1);
            assertEquals(EventStatus.RETRY, bench.row(event).status());
            fixture().answer();
            bench.awaitDone(1);
            assertTrue(arrivals(event) > 0);
        }
    }

    @Test
    default void an_answer_that_comes_too_late_does_not_make_it_DONE() {
        EventEnvelope event = ListenerTest.event(null);
        orAbort(() -> fixture().hang());
        Bench bench = new Bench(fixture().listener(), 1);
        try (bench) {
            bench.start(builder -> builder);
            bench.write(event);
            ListenerTest.await("the timeout", () -> bench.row(event).status() == EventStatus.DEAD);
            fixture().answer();
            EventEnvelope next = ListenerTest.event(null);
            bench.write(next);
            ListenerTest.await("the next one", () -> bench.row(next).status() == EventStatus.DONE);
            assertEquals(EventStatus.DEAD, bench.row(event).status());
        }
    }

    @Test
    default void a_receiver_that_hangs_for_a_while_costs_no_order() {
        List<EventEnvelope> events = List.of(
                ListenerTest.event("a"), ListenerTest.event("a"), ListenerTest.event("a"), ListenerTest.event("a"));
        try (Bench bench = bench(builder -> builder.ordered())) {
            orAbort(() -> fixture().hang());
            bench.write(events);
            ListenerTest.await("the timeout", () -> bench.row(events.get(0)).attempts() == 1);
            fixture().answer();
            bench.awaitDone(4);
        }

        assertEquals(
                events.stream().map(EventEnvelope::eventId).toList(),
                received().stream()
                        .map(ListenerFixture.Received::eventId)
                        .distinct()
                        .toList());
    }

    @Test
    default void a_close_waits_for_what_is_under_way() {
        List<EventEnvelope> events = ListenerTest.events(100);
        try (Bench bench = bench()) {
            bench.write(events);
            ListenerTest.await("the first one", () -> !received().isEmpty());
            bench.stop();
            long done = bench.count(EventStatus.DONE);
            Set<String> arrived = Set.copyOf(
                    received().stream().map(ListenerFixture.Received::eventId).toList());
            assertEquals(arrived.size(), done, "what has arrived is DONE");
            assertTrue(bench.store.all().stream().allMatch(row -> row.lockedBy() == null), "nothing is leased");
        }
    }

    @Test
    default void a_close_while_nobody_answers_ends_and_leaves_the_event_to_the_next_process() {
        EventEnvelope event = ListenerTest.event(null);
        orAbort(() -> fixture().hang());
        Bench bench = new Bench(fixture().listener());
        try (bench) {
            bench.start(builder -> builder.dispatcher(dispatcher -> dispatcher.drainTimeoutMs(100)));
            bench.write(event);
            ListenerTest.await(
                    "the delivery", () -> bench.outbox().listeners().stream().anyMatch(state -> state.running() == 1));
            bench.stop();
            assertEquals(0, bench.row(event).attempts(), "the shutdown is not its fault");
            assertNull(bench.row(event).lockedBy());
            fixture().answer();
            bench.start(builder -> builder);
            bench.awaitDone(1);
        }
        assertTrue(arrivals(event) > 0);
    }
}
