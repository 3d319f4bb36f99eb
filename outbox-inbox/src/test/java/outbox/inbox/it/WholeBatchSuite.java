package outbox.inbox.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.BatchEventHandler;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeResult.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/** Several events for one call of the handler. */
abstract class WholeBatchSuite {

    private InboxFixture inbox;

    /** What the handler was called with. */
    private final List<List<EventEnvelope>> calls = new ArrayList<>();

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    private List<ConsumeResult> consume(List<EventEnvelope> events, BatchEventHandler handler) {
        return inbox.template.consumeBatch(
                inbox.group,
                events,
                taken -> {
                    calls.add(taken);
                    handler.handle(taken);
                },
                ConsumeOptions.defaults());
    }

    /** The ids of events that the database refuses to have an effect of: the column is too narrow for their group. */
    private BatchEventHandler refusedByTheDatabase(Set<String> poison) {
        return taken -> {
            Effects.addAll(inbox.context.currentConnection(), inbox.group, taken);
            if (taken.stream().map(EventEnvelope::eventId).anyMatch(poison::contains)) {
                Effects.addAll(inbox.context.currentConnection(), "x".repeat(65), taken);
            }
        };
    }

    @Test
    void one_call_handles_all_that_are_new_in_the_order_of_their_arrival() {
        List<EventEnvelope> events = BatchSuite.events(20);
        List<EventEnvelope> early = List.of(events.get(3), events.get(17));
        assertThat(consume(early, inbox.effectOfAll())).allMatch(ConsumeResult::handled);

        List<ConsumeResult> results = consume(events, inbox.effectOfAll());

        List<EventEnvelope> fresh = new ArrayList<>(events);
        fresh.removeAll(early);
        assertThat(calls).containsExactly(early, fresh);
        for (int i = 0; i < events.size(); i++) {
            assertThat(results.get(i).outcome()).isEqualTo(i == 3 || i == 17 ? Outcome.REPLAYED : Outcome.HANDLED);
        }
        assertThat(inbox.effects()).isEqualTo(20);
        assertThat(inbox.metrics.count("acquired")).isEqualTo(20);
        assertThat(inbox.metrics.count("replayed")).isEqualTo(2);
        assertThat(inbox.metrics.count("latency")).isEqualTo(2);
    }

    @Test
    void a_handler_is_not_called_for_nothing() {
        List<EventEnvelope> events = BatchSuite.events(3);
        consume(events, inbox.effectOfAll());

        assertThat(consume(events, inbox.effectOfAll())).allMatch(ConsumeResult::replayed);
        assertThat(consume(List.of(), inbox.effectOfAll())).isEmpty();
        assertThat(calls).hasSize(1);
    }

    @Test
    void a_copy_within_the_batch_is_replayed() {
        EventEnvelope event = InboxFixture.event();

        assertThat(consume(List.of(event, event), inbox.effectOfAll()))
                .extracting(ConsumeResult::outcome)
                .containsExactly(Outcome.HANDLED, Outcome.REPLAYED);
        assertThat(calls).containsExactly(List.of(event));
    }

    @Test
    void poisonous_ones_are_found_by_halves_and_are_the_only_ones_to_be_recorded_as_failed() {
        List<EventEnvelope> events = BatchSuite.events(64);
        Set<String> poison = Set.of(events.get(9).eventId(), events.get(63).eventId());

        List<ConsumeResult> results = consume(events, refusedByTheDatabase(poison));

        inbox.assertOnlyFailed(poison, events, results);
        assertThat(calls).as("2 · 6 halves for each, but for the first call").hasSize(1 + 2 * 6 + 2 * 5);
        assertThat(inbox.metrics.count("failed")).isEqualTo(2);
    }

    @Test
    void the_only_new_one_is_known_to_be_the_one_that_failed() {
        List<EventEnvelope> events = BatchSuite.events(4);
        consume(events.subList(0, 3), inbox.effectOfAll());
        calls.clear();
        Set<String> poison = Set.of(events.get(3).eventId());

        List<ConsumeResult> results = consume(events, refusedByTheDatabase(poison));

        assertThat(calls).containsExactly(events.subList(3, 4));
        assertThat(results.subList(0, 3)).allMatch(ConsumeResult::replayed);
        inbox.assertOnlyFailed(poison, events, results);
    }

    @Test
    void events_remain_in_order_when_the_batch_is_divided() {
        List<EventEnvelope> events = BatchSuite.events(10);
        List<EventEnvelope> handled = new ArrayList<>();

        consume(events, taken -> {
            if (taken.contains(events.get(4))) {
                throw new IllegalStateException("poison");
            }
            handled.addAll(taken);
        });

        List<EventEnvelope> others = new ArrayList<>(events);
        others.remove(4);
        assertThat(handled).isEqualTo(others);
    }

    @Test
    void a_failed_one_is_given_to_the_handler_alone_when_its_retry_is_due() {
        List<EventEnvelope> events = BatchSuite.events(3);
        consume(events.subList(1, 2), taken -> {
            throw new IllegalStateException("first time");
        });
        assertThat(consume(events.subList(1, 2), inbox.effectOfAll()).get(0).inProgress())
                .isTrue();
        inbox.letTimePass(events.get(1));
        calls.clear();

        assertThat(consume(events, inbox.effectOfAll())).allMatch(ConsumeResult::handled);

        assertThat(calls).containsExactly(List.of(events.get(0), events.get(2)), List.of(events.get(1)));
        assertThat(inbox.effects()).isEqualTo(3);
    }

    @Test
    void batches_with_common_events_that_meet_have_one_effect_for_each_event() throws Exception {
        List<EventEnvelope> events = BatchSuite.events(30);

        List<List<ConsumeResult>> all = BatchSuite.meet(
                events,
                order -> inbox.template.consumeBatch(
                        inbox.group, order, inbox.effectOfAll(), ConsumeOptions.defaults()));

        assertThat(all).allSatisfy(results -> assertThat(results).noneMatch(ConsumeResult::failed));
        assertThat(inbox.effects()).isEqualTo(30);
        assertThat(events.stream().map(inbox::effectsOf).collect(Collectors.toSet()))
                .containsExactly(1L);
    }
}
