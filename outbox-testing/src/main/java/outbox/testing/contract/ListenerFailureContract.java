package outbox.testing.contract;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import outbox.BreakerSettings;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.model.EventStatus;
import outbox.model.ListenerState.BreakerState;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the receiver does not accept is repeated, or ends, and costs nobody else anything. */
interface ListenerFailureContract extends ListenerTest {

    @Test
    default void what_is_refused_is_brought_again_until_it_is_accepted() {
        EventEnvelope event = ListenerTest.event(null);
        orAbort(() -> fixture().refuse(Set.of(event.eventId())));
        try (Bench bench = bench()) {
            bench.write(event);
            ListenerTest.await("a refusal", () -> bench.row(event).attempts() > 0);
            assertNotNull(bench.row(event).lastError());
            fixture().refuse(Set.of());
            bench.awaitDone(1);
            assertEquals(1, arrivals(event));
        }
    }

    @Test
    default void what_is_refused_for_ever_ends_DEAD_and_says_why() {
        EventEnvelope event = ListenerTest.event(null);
        orAbort(() -> fixture().refuse(Set.of(event.eventId())));
        try (Bench bench = bench()) {
            bench.write(event);
            ListenerTest.await("its end", () -> bench.row(event).status() == EventStatus.DEAD);
            assertEquals(0, arrivals(event));
            assertNotNull(bench.row(event).lastError());
        }
    }

    /** For a listener that takes batches: one event of them, wherever it is, must not cost the others their attempts. */
    @Test
    default void of_many_the_refused_ones_alone_fail() {
        List<EventEnvelope> events = ListenerTest.events(60);
        Set<String> refused = events.stream()
                .map(EventEnvelope::eventId)
                .filter(id -> events.get(0).eventId().equals(id)
                        || events.get(31).eventId().equals(id)
                        || events.get(59).eventId().equals(id))
                .collect(Collectors.toSet());
        orAbort(() -> fixture().refuse(refused));
        try (Bench bench = bench()) {
            bench.write(events);
            bench.awaitDone(57);
            ListenerTest.await("the end of three", () -> bench.count(EventStatus.DEAD) == 3);
            for (EventEnvelope event : events) {
                boolean isRefused = refused.contains(event.eventId());
                assertEquals(
                        isRefused ? EventStatus.DEAD : EventStatus.DONE,
                        bench.row(event).status());
                assertEquals(!isRefused, arrivals(event) > 0, "arrived: " + event);
                assertTrue(isRefused || bench.row(event).attempts() == 0, "an attempt of " + event + " was used up");
            }
        }
    }

    @Test
    default void while_nobody_is_there_no_attempt_is_used_up_and_then_all_arrive() {
        orAbort(() -> fixture().away(true));
        List<EventEnvelope> events = ListenerTest.events(50);
        Listener listener = fixture()
                .listener()
                .breaker(BreakerSettings.whenAway().pauses(Duration.ofMillis(50), Duration.ofMillis(200)));
        try (Bench bench = new Bench(listener)) {
            bench.start(builder -> builder);
            bench.write(events);
            ListenerTest.await(
                    "the breaker",
                    () -> bench.outbox().listeners().stream().anyMatch(state -> state.breaker() == BreakerState.OPEN));
            assertEquals(0, bench.count(EventStatus.DEAD));
            fixture().away(false);
            bench.awaitDone(50);
            assertTrue(bench.store.all().stream().allMatch(row -> row.attempts() == 0), "attempts were used up");
        }
    }
}
