package outbox.poller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.KeyedEvents.rowOf;

/** Polls for a handler that wants events in order. */
@Timeout(30)
class OutboxPollerOrderTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:01:00Z");
    private final OrderedTable table = new OrderedTable(clock);
    private final StubConnections connections = StubConnections.autoCommitting();
    private final OrderedHandler handler = new OrderedHandler();

    /** Records after which events each event comes. */
    private static final class OrderedHandler implements LinkedHandler {

        private final List<String> taken = new ArrayList<>();
        private final List<String> wishes = new ArrayList<>();
        private String refuseFrom;
        private boolean holdsKeys;
        private Runnable beforeDead = () -> {};
        private Collection<String> ahead = List.of();

        @Override
        public boolean holdsKeyWhenDead(OutboxEvent event) {
            beforeDead.run();
            return holdsKeys;
        }

        @Override
        public boolean isOrdered() {
            return true;
        }

        @Override
        public void nextIsLeased(Collection<String> others, Suspicion suspicion) {
            ahead = others;
        }

        @Override
        public boolean handle(EventEnvelope event, int attempts) {
            if (event.eventId().equals(refuseFrom)) {
                return false;
            }
            taken.add(event.eventId() + " after " + List.copyOf(ahead));
            return true;
        }

        @Override
        public void pollWhenRoomFor(int events) {
            wishes.add("room for " + events);
        }
    }

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void each_event_of_a_run_comes_after_the_one_before_it() {
        table.add(rowOf("1", "a"), rowOf("2", "b"), rowOf("1", "c"), Events.row("x"), rowOf("1", "d"));
        poller().skipRecent(Duration.ofSeconds(1)).build().poll();

        assertThat(table.calls()).containsExactly("order.claim node-1 timeout=PT30S skipRecent=PT1S limit=50");
        assertThat(handler.taken)
                .containsExactly("a after []", "c after [a]", "d after [c]", "b after []", "x after []");
    }

    @Test
    void the_first_event_of_a_run_comes_after_those_that_were_claimed_before() {
        table.add(rowOf("1", "a"), rowOf("1", "b"));
        OutboxPoller poller = poller().build();
        poller.poll();
        table.add(rowOf("1", "c"), rowOf("1", "d"));
        poller.poll();

        assertThat(handler.taken).endsWith("c after [a, b]", "d after [c]");
    }

    @Test
    void what_follows_a_refused_event_is_given_back_with_it_whatever_its_key() {
        table.add(rowOf("1", "a"), rowOf("1", "b"), rowOf("1", "c"), rowOf("2", "d"));
        handler.refuseFrom = "b";
        poller().build().poll();

        assertThat(handler.taken).containsExactly("a after []");
        assertThat(table.leaseCalls()).containsExactly("lease.release node-1 [b, c, d]");
        assertThat(table.lockedBy("a")).isEqualTo("node-1");
        assertThat(table.lockedBy("b")).isNull();
        assertThat(handler.wishes).isEmpty();
    }

    @Test
    void an_event_that_cannot_be_read_is_dead_and_the_next_one_still_comes_after_it() {
        table.add(rowOf("1", "a"), unreadable("b", "1"), rowOf("1", "c"));
        poller().build().poll();

        assertThat(handler.taken).containsExactly("a after []", "c after [b]");
        assertThat(table.status("b")).isEqualTo(EventStatus.DEAD);
        assertThat(log.at(Level.SEVERE)).hasSize(1);
    }

    private static OutboxEvent unreadable(String id, String key) {
        return new OutboxEvent(
                id, Events.TYPE, KeyedEvents.AGGREGATE_TYPE, key, null, "{}", "no json", 0, Events.CREATED_AT);
    }

    @Test
    void behind_an_unreadable_event_that_holds_its_key_nothing_of_the_key_is_handed_over() {
        handler.holdsKeys = true;
        table.add(unreadable("a", "1"), rowOf("1", "b"), rowOf("1", "c"), rowOf("2", "d"));
        poller().build().poll();

        assertThat(handler.taken).containsExactly("d after []");
        assertThat(table.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(table.isUnfinished("a")).as("holds its key").isTrue();
        assertThat(table.leaseCalls()).contains("lease.release node-1 [b, c]");
        assertThat(table.lockedBy("b")).isNull();
        assertThat(table.status("b")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void an_unreadable_event_in_the_middle_holds_back_what_follows_it_and_not_what_came_before() {
        handler.holdsKeys = true;
        table.add(rowOf("1", "a"), unreadable("b", "1"), rowOf("1", "c"));
        poller().build().poll();

        assertThat(handler.taken).containsExactly("a after []");
        assertThat(table.lockedBy("a")).isEqualTo("node-1");
        assertThat(table.lockedBy("c")).isNull();
    }

    @Test
    void an_unreadable_event_that_cannot_be_marked_is_given_back_with_what_follows_it() {
        table.add(unreadable("a", "1"), rowOf("1", "b"), rowOf("2", "c"));
        handler.beforeDead = () -> table.failNext(1);
        poller().build().poll();

        assertThat(handler.taken).containsExactly("c after []");
        assertThat(table.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(table.leaseCalls()).contains("lease.release node-1 [a, b]");
        assertThat(handler.wishes).isEmpty();
    }

    @Test
    void an_unreadable_event_that_was_taken_over_meanwhile_is_left_to_its_owner_with_what_follows_it() {
        table.add(unreadable("a", "1"), rowOf("1", "b"));
        handler.beforeDead = () -> table.takeOver("a", "node-2");
        poller().build().poll();

        assertThat(handler.taken).isEmpty();
        assertThat(table.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
        assertThat(table.lockedBy("b")).isNull();
    }

    @Test
    void an_unreadable_event_without_a_key_holds_nothing() {
        handler.holdsKeys = true;
        table.add(
                new OutboxEvent("a", Events.TYPE, null, null, null, "{}", "no json", 0, Events.CREATED_AT),
                Events.row("b"));
        poller().build().poll();

        assertThat(handler.taken).containsExactly("b after []");
        assertThat(table.lockedBy("a")).isNull();
    }

    @Test
    void more_is_asked_for_as_long_as_batches_come_back_full() {
        table.add(rowOf("1", "a"), rowOf("1", "b"), rowOf("1", "c"));
        OutboxPoller poller = poller().batchSize(2).build();
        poller.poll();
        assertThat(handler.wishes).containsExactly("room for 2");
        poller.poll();
        assertThat(handler.wishes).containsExactly("room for 2");
    }

    @Test
    void a_store_without_leases_is_refused() {
        assertThatThrownBy(() -> OutboxPoller.builder()
                        .connectionProvider(connections)
                        .outboxStore(new RecordingStore())
                        .handler(handler)
                        .claimLocking(Duration.ofSeconds(1))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ordering needs a store with leases", "RecordingStore");
    }

    @Test
    void order_needs_claim_locking() {
        assertThatThrownBy(() -> OutboxPoller.builder()
                        .connectionProvider(connections)
                        .outboxStore(table)
                        .handler(handler)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ordering needs claim locking, also for a single process, because an event's turn is"
                        + " decided by leases; call claimLocking as well");
    }

    @Test
    void order_needs_a_store_that_keeps_it() {
        assertThatThrownBy(() -> poller(new LeasingStore(clock)).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ordering needs a store that keeps order, but outbox.testsupport.LeasingStore does not;"
                        + " override ordered");
    }

    @Test
    void a_handler_is_not_ordered_unless_it_says_so_and_takes_events_in_any_order() {
        List<String> taken = new ArrayList<>();
        OutboxPollerHandler plain = (event, attempts) -> taken.add(event.eventId() + "@" + attempts);

        assertThat(plain.link().isOrdered()).isFalse();
        assertThat(plain.link().holdsKeyWhenDead(Events.row("a"))).isFalse();
        plain.link().nextIsLeased(List.of("x"), null);
        assertThat(plain.handle(Events.event("a"), 2)).isTrue();
        assertThat(taken).containsExactly("a@2");
    }

    @Test
    void at_the_start_the_table_is_checked_for_what_order_needs() {
        try (OutboxPoller poller = poller().build()) {
            poller.start();
            assertThat(table.calls()).startsWith("order.checkSchema", "checkSchema");
        }
    }

    @Test
    void events_that_wait_for_others_are_looked_for_again_long_before_the_interval() {
        table.add(rowOf("1", "a"), rowOf("1", "b"));
        table.lock("a", "node-2");
        CountDownLatch found = new CountDownLatch(1);
        try (OutboxPoller poller = poller().handler(new LinkedHandler() {

                    @Override
                    public boolean isOrdered() {
                        return true;
                    }

                    @Override
                    public boolean handle(EventEnvelope event, int attempts) {
                        found.countDown();
                        return true;
                    }

                    @Override
                    public void pollFinished() {
                        table.markDone(null, "a"); // done by the other process, which tells nobody
                    }
                })
                .intervalMs(Duration.ofHours(1).toMillis())
                .build()) {
            poller.start();
            Await.opened(found);
        }

        assertThat(table.lockedBy("b")).isEqualTo("node-1");
    }

    private OutboxPoller.Builder poller() {
        return poller(table);
    }

    private OutboxPoller.Builder poller(OutboxStore store) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .claimLocking("node-1", TIMEOUT)
                .clock(clock);
    }
}
