package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxWriter;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.RelayLock;
import outbox.testsupport.Await;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** The age of the oldest unfinished event, which with leases a poll does not find while it waits or runs here. */
@Timeout(30)
class LagWithLeasesTest {

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final LeasingStore store = new LeasingStore(clock);
    private final StubConnections connections = StubConnections.autoCommitting();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean active = true;
    private OutboxDispatcher dispatcher;
    private OutboxPoller poller;

    @AfterEach
    void stop() {
        goOn.countDown();
        poller.close();
        dispatcher.close();
    }

    @Test
    void an_event_whose_listener_hangs_is_the_oldest_one_until_it_ends() throws Exception {
        wire(1000, new RecordingMetrics());
        write("a").commit();
        Await.opened(running);
        clock.advance(Duration.ofMillis(3500));

        assertThat(lagOfNextPoll()).isEqualTo(3500);
        goOn.countDown();
        dispatcher.close();
        assertThat(lagOfNextPoll()).isZero();
    }

    @Test
    void what_a_poll_has_claimed_counts_like_what_was_written_here() throws Exception {
        wire(1000, new RecordingMetrics());
        store.add("a");
        poller.poll();
        Await.opened(running);
        clock.advance(Duration.ofSeconds(10));

        assertThat(lagOfNextPoll()).isEqualTo(10_000);
    }

    @Test
    void an_event_that_was_never_committed_does_not_count() throws Exception {
        wire(1000, new RecordingMetrics());
        StubTransaction open = write("a");
        clock.advance(Duration.ofSeconds(10));

        assertThat(lagOfNextPoll()).isZero();
        open.rollback();
        assertThat(lagOfNextPoll()).isZero();
    }

    @Test
    void a_full_queue_keeps_the_age_from_standing_still() throws Exception {
        wire(1, new RecordingMetrics());
        store.add("a");
        poller.poll();
        Await.opened(running);
        store.add("b");
        poller.poll();
        clock.advance(Duration.ofSeconds(7));

        assertThat(dispatcher.coldQueueRemainingCapacity()).isZero();
        assertThat(lagOfNextPoll()).isEqualTo(7000);
    }

    @Test
    void a_process_that_is_no_longer_active_forgets_the_age_of_what_others_deliver() throws Exception {
        wire(1000, new RecordingMetrics());
        store.add("a");
        clock.advance(Duration.ofSeconds(5));
        assertThat(lagOfNextPoll()).isEqualTo(5000);
        Await.opened(running);
        goOn.countDown();
        dispatcher.close();
        active = false;

        assertThat(lagOfNextPoll()).isZero();
    }

    @Test
    void it_costs_no_statement() throws Exception {
        wire(1000, metrics);
        write("a").commit();
        Await.opened(running);
        long before = store.calls().size();
        poller.poll();
        poller.poll();

        assertThat(store.calls().subList((int) before, store.calls().size()))
                .hasSize(2)
                .allMatch(call -> call.startsWith("lease.claim "));
    }

    private long lagOfNextPoll() {
        poller.poll();
        return metrics.lags.get(metrics.lags.size() - 1);
    }

    private StubTransaction write(String id) throws Exception {
        StubTransaction transaction = new StubTransaction();
        new OutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher)).writeAll(List.of(event(id)));
        return transaction;
    }

    private void wire(int capacity, RecordingMetrics dispatchers) {
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    running.countDown();
                    Await.opened(goOn);
                }))
                .workerCount(1)
                .coldQueueCapacity(capacity)
                .completionLingerMs(0)
                .metrics(dispatchers)
                .build();
        poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking("node-1", Duration.ofSeconds(30))
                .singleActive(new Lock())
                .metrics(metrics)
                .clock(clock)
                .build();
        poller.poll(); // makes this process the active one
    }

    private final class Lock implements RelayLock {

        @Override
        public boolean tryHold() {
            return active;
        }

        @Override
        public void close() {}
    }
}
