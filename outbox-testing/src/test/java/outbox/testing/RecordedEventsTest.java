package outbox.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What tests of applications see of their events, without a framework. */
class RecordedEventsTest {

    private final InMemoryTransactions transactions = new InMemoryTransactions();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final RecordedEvents events = new RecordedEvents(
            Class::getSimpleName, (json, type) -> type == Integer.class ? Integer.valueOf(json) : json);
    private final PlannedFailures failures = new PlannedFailures();
    private final List<String> delivered = new ArrayList<>();
    private final DefaultListenerRegistry listeners =
            new DefaultListenerRegistry().registerDefault(event -> delivered.add(event.eventId()));
    private final OutboxProbe probe = new OutboxProbe(events, listeners, failures, store, transactions);
    private Outbox outbox;

    @AfterEach
    void close() {
        outbox.close();
    }

    private OutboxBuilder builder() {
        return Outbox.builder(store, transactions, transactions)
                .hook(events.hook())
                .listeners(listeners)
                .dispatcher(dispatcher -> dispatcher.interceptor(failures).completionLingerMs(0));
    }

    private static EventEnvelope event(String type, String payload) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("acme")
                .headers(Map.of("trace", "1"))
                .payloadJson(payload)
                .build();
    }

    @Test
    void what_was_written_is_seen_with_all_its_parts_and_a_rollback_takes_it_away() {
        outbox = builder().writerOnly().build();

        transactions.run(() -> {
            outbox.write(event("Integer", "7"));
            assertThat(events).containsExactlyOne("Integer");
        });
        assertThatThrownBy(() -> transactions.run(() -> {
                    outbox.write(event("Undone", "{}"));
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(events)
                .hasTypes("Integer")
                .doesNotContain("Undone")
                .contains(1, "Integer")
                .containsExactlyOne(Integer.class)
                .forAggregate("Order", "42")
                .withPayload(7)
                .withPayloadJson("7")
                .withHeader("trace", "1")
                .withTenant("acme");
        events.clear();
        assertThat(events).isEmpty();
    }

    @Test
    void an_assertion_that_fails_says_what_was_written() {
        outbox = builder().writerOnly().build();
        transactions.run(() -> outbox.write(event("A", "1")));

        assertThatThrownBy(() -> assertThat(events).containsExactlyOne("B"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exactly one event of type \"B\", but there are 0")
                .hasMessageContaining("Order/A");
        assertThatThrownBy(() -> assertThat(events).containsExactlyOne("A").forAggregate("Order", "43"))
                .hasMessageContaining("aggregate id")
                .hasMessageContaining("<43>, but it is <42>");
        assertThatThrownBy(() -> assertThat(events).isEmpty()).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(events).doesNotContain("A")).isInstanceOf(AssertionError.class);
    }

    @Test
    void events_are_dispatched_when_the_test_says_so_and_fail_when_it_says_so() throws Exception {
        outbox = builder().writerOnly().build();
        transactions.run(() -> outbox.write(event("A", "1")));
        probe.failNext("A", new IllegalArgumentException("planned"));

        assertThatThrownBy(probe::dispatchNow).hasMessage("planned");
        assertThat(delivered).isEmpty();
        assertThat(probe.dispatchNow()).isEqualTo(1);
        assertThat(probe.dispatchNow()).isZero();
        assertThat(delivered).hasSize(1);
    }

    @Test
    void a_test_waits_until_everything_is_delivered_also_what_failed_first() {
        outbox = builder()
                .poller(poller -> poller.intervalMs(5))
                .dispatcher(dispatcher -> dispatcher.retryPolicy(attempts -> 5))
                .build();
        outbox.start();
        probe.failNext("A", new IllegalArgumentException("planned"));
        transactions.run(() -> outbox.write(event("A", "1")));

        probe.awaitIdle(Duration.ofSeconds(20));

        assertThat(store.all()).allMatch(event -> event.status() == EventStatus.DONE || event.attempts() == 1);
    }

    @Test
    void a_test_does_not_wait_for_ever() {
        outbox = builder().writerOnly().build();
        transactions.run(() -> outbox.write(event("A", "1")));

        assertThatThrownBy(() -> probe.awaitIdle(Duration.ofMillis(50)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("was not idle within PT0.05S");
    }
}
