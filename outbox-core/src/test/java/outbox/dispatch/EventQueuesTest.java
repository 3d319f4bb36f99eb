package outbox.dispatch;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.dispatch.EventQueues.Before;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testsupport.Events;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.coldOf;
import static outbox.testsupport.KeyedEvents.hotOf;

class EventQueuesTest {

    private final OrderedParts parts = new OrderedParts();
    private final EventQueues queues = parts.queues;

    @Test
    void only_the_first_event_of_a_key_goes_to_the_queue() {
        parts.bring("1", "a", "b");
        parts.bring("2", "c");

        assertThat(ids(parts.queue.drain())).containsExactly("a", "c");
    }

    @Test
    void events_without_an_aggregate_id_go_straight_to_the_queue() {
        assertThat(offer(Events.hot("a"))).isTrue();
        assertThat(offer(Events.hot("b"))).isTrue();

        assertThat(queues.hasKey(Events.hot("a"))).isFalse();
        queues.ended(Completions.of(Events.hot("a"), Verdict.DONE));
        queues.broke(Events.hot("b"));
        assertThat(ids(parts.queue.drain())).containsExactly("a", "b");
        assertThat(parts.hurries).hasValue(0);
    }

    @Test
    void without_order_events_of_one_key_go_straight_to_the_queue() {
        EventQueues unordered = Flows.without(parts.tracker, parts.leases, parts.metrics, parts.clock)
                .parts()
                .queues();
        unordered.offer(hotOf("1", "a"), Before.NOTHING);
        unordered.offer(hotOf("1", "b"), Before.NOTHING);
        unordered.broke(hotOf("1", "a"));

        assertThat(unordered.hasKey(hotOf("1", "a"))).isFalse();
        assertThat(unordered.room(Source.HOT)).isEqualTo(8);
        assertThat(unordered.depth(Source.HOT)).isEqualTo(2);
        assertThat(unordered.queue().hot().size()).isEqualTo(2);
    }

    @Test
    void the_next_event_goes_to_the_queue_when_the_first_has_ended() throws Exception {
        parts.bring("1", "a", "b", "c");
        QueuedEvent first = parts.queue.take();
        queues.ended(Completions.of(first, Verdict.DONE));

        assertThat(ids(parts.queue.drain())).containsExactly("b");
    }

    @Test
    void whoever_waits_hurries_the_one_before_it() throws Exception {
        parts.bring("1", "a");
        assertThat(parts.hurries).hasValue(0);
        parts.bring("1", "b", "c");
        assertThat(parts.hurries).hasValue(2);
        queues.ended(Completions.of(parts.queue.take(), Verdict.DONE));
        QueuedEvent second = parts.queue.take();
        queues.delivered(Completions.of(second, Verdict.DONE));
        assertThat(parts.hurries).as("c waits for b").hasValue(3);
        queues.ended(Completions.of(second, Verdict.DONE));
        queues.delivered(Completions.of(parts.queue.take(), Verdict.DONE));
        assertThat(parts.hurries).as("nobody waits for c").hasValue(3);
    }

    @Test
    void those_that_wait_are_given_back_and_polled_for_when_the_first_broke() throws Exception {
        parts.bring("1", "a", "b", "c");
        queues.broke(Completions.of(parts.queue.take(), Verdict.DONE));

        assertThat(parts.isGivenBack("b")).isTrue();
        assertThat(parts.isGivenBack("c")).isTrue();
        assertThat(parts.isGivenBack("a"))
                .as("the first is for others to give back")
                .isFalse();
        assertThat(parts.trigger.requests).containsExactly("2026-01-01T00:00:00Z");
        parts.release();
        assertThat(parts.table.leaseCalls()).containsExactly("lease.release node-1 [b, c]");
    }

    @Test
    void nobody_is_polled_for_when_nobody_waited() throws Exception {
        parts.bring("1", "a");
        queues.broke(parts.queue.take());

        assertThat(parts.trigger.requests).isEmpty();
        assertThat(queues.depth(Source.COLD)).isZero();
    }

    @Test
    void an_event_that_comes_after_the_break_is_first_again() throws Exception {
        parts.bring("1", "a", "b");
        queues.broke(parts.queue.take());
        parts.bring("1", "d");

        assertThat(ids(parts.queue.drain())).containsExactly("d");
    }

    @Test
    void those_that_wait_count_as_depth_and_leave_room_for_other_keys() throws Exception {
        parts.bring("1", "a", "b");
        parts.queue.take();

        assertThat(queues.depth(Source.COLD)).isEqualTo(1);
        assertThat(queues.room(Source.COLD)).isEqualTo(3);
        assertThat(queues.depth(Source.HOT)).isZero();
        assertThat(queues.room(Source.HOT)).isEqualTo(3);
        parts.bring("1", "c", "d");
        assertThat(queues.depth(Source.COLD)).isEqualTo(3);
        assertThat(queues.room(Source.COLD)).isEqualTo(3);
        assertThat(offer(coldOf("2", "e"))).isTrue();
        assertThat(offer(coldOf("3", "f"))).isTrue();
        assertThat(offer(coldOf("4", "g"))).isTrue();
        assertThat(offer(coldOf("5", "h"))).isFalse();
    }

    @Test
    void a_key_is_full_when_a_line_of_it_is_here_and_is_fetched_again_when_few_are_left() throws Exception {
        AggregateKey key = new AggregateKey(coldOf("1", "a").envelope().aggregateType(), "1");
        for (int i = 0; i < OrderedStore.LONGEST_LINE; i++) {
            assertThat(queues.keysLeft().isFull(key)).isFalse();
            parts.bring("1", "e" + i);
        }
        assertThat(queues.keysLeft().isFull(key)).isTrue();
        assertThat(queues.keysLeft().isFull(new AggregateKey(key.aggregateType(), "2")))
                .isFalse();

        for (int i = 0; i < OrderedStore.LONGEST_LINE; i++) {
            queues.ended(Completions.of(parts.queue.take(), Verdict.DONE));
            int left = OrderedStore.LONGEST_LINE - i - 1;
            assertThat(queues.keysLeft().takeWanted()).hasSize(left == OrderedStore.LONGEST_LINE / 4 ? 1 : 0);
        }
    }

    @Test
    void a_key_of_which_more_is_left_is_fetched_at_once_if_nothing_of_it_is_here_any_more() {
        AggregateKey key = new AggregateKey("Order", "1");
        queues.keysLeft().leftInTable(List.of(key));

        assertThat(queues.keysLeft().takeWanted()).containsExactly(key);
        assertThat(queues.keysLeft().takeWanted()).isEmpty();
    }

    @Test
    void room_is_never_negative_when_an_event_has_come_back_to_a_full_queue() throws Exception {
        parts.bring("1", "a", "b");
        QueuedEvent first = parts.queue.take();
        fillColdQueue();
        queues.ended(Completions.of(first, Verdict.DONE));

        assertThat(parts.queue.cold().room()).isNegative();
        assertThat(queues.room(Source.COLD)).isZero();
    }

    private void fillColdQueue() {
        for (String id : List.of("x", "y", "z")) {
            assertThat(parts.queue.offer(Events.cold(id))).isTrue();
        }
    }

    @Test
    void an_event_for_which_the_queue_itself_has_no_room_leaves_no_lane_behind() throws Exception {
        Before filling = new Before(Set.of(), id -> false, this::fillColdQueue); // somebody else is quicker

        assertThat(queues.offer(coldOf("1", "a"), filling)).isFalse();
        for (int i = 0; i < 3; i++) {
            parts.queue.take();
        }
        parts.bring("1", "b");
        assertThat(ids(parts.queue.drain())).containsExactly("b");
    }

    @Test
    void those_that_joined_behind_a_refused_event_are_given_back() {
        QueuedEvent follower = coldOf("1", "b");
        parts.hold(follower);
        Before joined = new Before(Set.of(), id -> false, () -> {
            assertThat(offer(follower)).isTrue();
            fillColdQueue();
        });

        assertThat(queues.offer(coldOf("1", "a"), joined)).isFalse();
        assertThat(parts.isGivenBack("b")).isTrue();
        assertThat(queues.depth(Source.COLD)).isEqualTo(3);
    }

    @Test
    void a_closed_queue_takes_nothing_and_those_that_wait_are_given_back_when_the_first_ends() throws Exception {
        parts.bring("1", "a", "b", "c");
        QueuedEvent first = parts.queue.take();
        parts.queue.close();
        assertThat(offer(coldOf("1", "d"))).isFalse();
        assertThat(queues.room(Source.COLD)).isZero();
        queues.ended(Completions.of(first, Verdict.DONE));

        assertThat(parts.isGivenBack("b")).isTrue();
        assertThat(parts.isGivenBack("c")).isTrue();
        assertThat(queues.depth(Source.COLD)).isZero();
    }

    @Test
    void it_is_said_that_all_ahead_are_in_line_only_if_they_are() {
        AtomicInteger said = new AtomicInteger();
        parts.bring("1", "a");
        queues.offer(coldOf("1", "b"), new Before(Set.of("a"), id -> false, said::incrementAndGet));
        assertThat(said).hasValue(1);
        queues.offer(coldOf("1", "c"), new Before(Set.of("x"), id -> false, said::incrementAndGet));
        assertThat(said).hasValue(1);
    }

    private boolean offer(QueuedEvent event) {
        return queues.offer(event, Before.NOTHING);
    }

    private static List<String> ids(List<QueuedEvent> events) {
        return events.stream().map(event -> event.envelope().eventId()).toList();
    }
}
