package outbox.inbox.it;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeResult.Outcome;
import outbox.inbox.EventConsumeConflictException;
import outbox.inbox.EventHandler;

import static org.assertj.core.api.Assertions.assertThat;

/** Several events in one transaction. */
abstract class BatchSuite {

    private InboxFixture inbox;

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count).mapToObj(i -> InboxFixture.event()).toList();
    }

    private List<ConsumeResult> consume(List<EventEnvelope> events, EventHandler handler) {
        return inbox.template.consumeAll(inbox.group, events, handler, ConsumeOptions.defaults());
    }

    @Test
    void all_are_handled_once_however_often_the_batch_arrives() {
        List<EventEnvelope> events = events(20);

        assertThat(consume(events, inbox.effect()))
                .allMatch(ConsumeResult::handled)
                .hasSize(20);
        assertThat(consume(events, inbox.effect()))
                .allMatch(ConsumeResult::replayed)
                .hasSize(20);
        assertThat(inbox.effects()).isEqualTo(20);
        assertThat(inbox.metrics.count("acquired")).isEqualTo(20);
        assertThat(inbox.metrics.count("replayed")).isEqualTo(20);
    }

    @Test
    void nothing_arrives_in_an_empty_batch() {
        assertThat(consume(List.of(), inbox.effect())).isEmpty();
    }

    @Test
    void copies_within_a_batch_and_of_earlier_events_are_replayed() {
        List<EventEnvelope> first = events(3);
        consume(first, inbox.effect());
        EventEnvelope fresh = InboxFixture.event();
        List<EventEnvelope> mixed = List.of(first.get(0), fresh, first.get(1), fresh);

        assertThat(consume(mixed, inbox.effect()))
                .extracting(ConsumeResult::outcome)
                .containsExactly(Outcome.REPLAYED, Outcome.HANDLED, Outcome.REPLAYED, Outcome.REPLAYED);
        assertThat(inbox.effects()).isEqualTo(4);
    }

    @Test
    void poisonous_ones_fall_out_alone_and_are_recorded() {
        List<EventEnvelope> events = events(12);
        Set<String> poison = ConcurrentHashMap.newKeySet();
        for (int i : new int[] {0, 5, 6, 7, 11}) {
            poison.add(events.get(i).eventId());
        }
        IllegalStateException failure = new IllegalStateException("poison");

        List<ConsumeResult> results = consume(events, event -> {
            inbox.effect().handle(event);
            if (poison.contains(event.eventId())) {
                throw failure;
            }
        });

        inbox.assertOnlyFailed(poison, events, results);
        assertThat(results.get(5).failure()).isSameAs(failure);
    }

    @Test
    void a_failed_one_is_retried_in_a_later_batch_when_due_and_a_conflict_is_its_own_result() {
        List<EventEnvelope> events = new ArrayList<>(events(2));
        consume(events.subList(0, 1), inbox.failing(new IllegalStateException("first time")));
        inbox.letTimePass(events.get(0));
        events.add(EventEnvelope.builder("Other")
                .eventId(events.get(1).eventId())
                .payloadJson("{}")
                .build());

        List<ConsumeResult> results = consume(events, inbox.effect());

        assertThat(results)
                .extracting(ConsumeResult::outcome)
                .containsExactly(Outcome.HANDLED, Outcome.HANDLED, Outcome.FAILED);
        assertThat(results.get(2).failure()).isInstanceOf(EventConsumeConflictException.class);
        assertThat(inbox.effects()).isEqualTo(2);
    }

    @Test
    void batches_with_common_events_that_meet_have_one_effect_for_each_event() throws Exception {
        List<EventEnvelope> events = events(30);

        assertThat(meet(events, order -> consume(order, inbox.effect())))
                .allSatisfy(results -> assertThat(results).noneMatch(ConsumeResult::failed));

        assertThat(inbox.effects()).isEqualTo(30);
    }

    /** Has four threads consume the same events at once, half of them in the opposite order. */
    static List<List<ConsumeResult>> meet(
            List<EventEnvelope> events, Function<List<EventEnvelope>, List<ConsumeResult>> consumer) throws Exception {
        List<EventEnvelope> backwards = new ArrayList<>(events);
        Collections.reverse(backwards);
        CyclicBarrier start = new CyclicBarrier(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<List<ConsumeResult>>> batches = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                List<EventEnvelope> order = i % 2 == 0 ? events : backwards;
                batches.add(threads.submit(() -> {
                    start.await();
                    return consumer.apply(order);
                }));
            }
            List<List<ConsumeResult>> results = new ArrayList<>();
            for (Future<List<ConsumeResult>> batch : batches) {
                results.add(batch.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
