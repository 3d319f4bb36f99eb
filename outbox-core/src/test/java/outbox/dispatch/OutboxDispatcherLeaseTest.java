package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/**
 * A dispatcher and a poller on a shared table. Leases are reckoned by clocks that the test moves, that of the database and that of the
 * process; only how often is renewed goes by the real one.
 */
@Timeout(30)
class OutboxDispatcherLeaseTest {

    /** Short, so that renewals come often; nothing expires by itself. */
    private static final Duration TIMEOUT = Duration.ofMillis(80);

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final LeasingStore store = new LeasingStore(clock);
    private final StubConnections leaseConnections = StubConnections.transactional();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Thread> running = new LinkedBlockingQueue<>();
    private final CountDownLatch letGo = new CountDownLatch(1);

    @AfterEach
    void stopCapturing() {
        letGo.countDown();
        log.close();
    }

    @Test
    void the_lease_of_an_event_that_runs_far_longer_than_its_time_is_renewed_and_its_outcome_counts() throws Exception {
        store.add("a");
        OutboxDispatcher dispatcher = builder().build();
        poller(dispatcher).poll();
        nextRunning();
        for (int i = 0; i < 10; i++) {
            pass(TIMEOUT.dividedBy(2));
            assertThat(store.nextRenewal()).isEqualTo("lease.renew node-1 [a]");
            assertThat(claimAs("node-2")).isZero();
        }
        letGo.countDown();
        assertThat(tracker.nextReleased()).isEqualTo("a");
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(store.attempts("a")).isZero();
        assertThat(metrics.success).hasValue(1);
        assertThat(metrics.tooLate).hasValue(0);
        assertThat(leaseConnections.journal()).filteredOn("commit"::equals).hasSizeGreaterThanOrEqualTo(10);
        assertThat(leaseConnections.leaked()).isZero();
        assertNothingIsHeld(dispatcher);
    }

    @Test
    void an_event_that_another_process_took_over_while_it_ran_is_left_to_that_process() throws Exception {
        store.add("a");
        OutboxDispatcher dispatcher = builder().build();
        poller(dispatcher).poll();
        nextRunning();
        store.takeOver("a", "node-2");
        letGo.countDown();
        assertThat(tracker.nextReleased()).isEqualTo("a");
        dispatcher.close();

        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(store.lockedBy("a")).isEqualTo("node-2");
        assertThat(metrics.success).hasValue(0);
        assertThat(metrics.tooLate).hasValue(1);
        assertNothingIsHeld(dispatcher);
    }

    @Test
    void an_event_that_is_claimed_again_while_it_runs_is_done_and_not_delivered_twice() throws Exception {
        store.add("a");
        OutboxDispatcher dispatcher = builder().build();
        OutboxPoller poller = poller(dispatcher);
        poller.poll();
        nextRunning();
        clock.advance(TIMEOUT.multipliedBy(2)); // only the database thinks so
        poller.poll();
        assertThat(store.attempts("a")).isZero();
        assertThat(store.error("a")).as("its owner is alive").isNull();
        letGo.countDown();
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(store.leaseCalls()).contains("lease.markDone node-1 [a]");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.tooLate).hasValue(0);
    }

    @Test
    void an_event_that_is_claimed_again_while_the_dispatcher_drains_keeps_its_lease() throws Exception {
        store.add("a");
        OutboxDispatcher dispatcher = builder().build();
        poller(dispatcher).poll();
        nextRunning();
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        Await.waiting(closer);
        clock.advance(TIMEOUT.multipliedBy(2));
        assertThat(claimAs(NODE)).isEqualTo(1);
        assertThat(dispatcher
                        .flow()
                        .intake()
                        .claimed(
                                new QueuedEvent(event("a"), QueuedEvent.Source.COLD, 1),
                                dispatcher.flow().beginPoll(),
                                List.of(),
                                null))
                .isTrue();
        letGo.countDown();
        closer.join(10_000);

        assertThat(store.leaseCalls()).contains("lease.markDone node-1 [a]");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void close_leaves_no_lease_of_what_was_not_begun_and_none_of_what_could_be_interrupted() throws Exception {
        store.add("a", "c");
        OutboxDispatcher dispatcher = builder().drainTimeoutMs(0).build();
        poller(dispatcher).poll();
        Thread worker = nextRunning();
        write(dispatcher, "b");
        assertThat(store.lockedBy("b")).isEqualTo(NODE);
        dispatcher.close();
        assertThat(store.lockedBy("b")).isNull();
        assertThat(store.lockedBy("c")).isNull();
        worker.join(10_000);

        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.count(EventStatus.NEW)).isEqualTo(3);
        assertThat(store.attempts("a")).isZero();
        assertNothingIsHeld(dispatcher);
    }

    @Test
    void what_runs_on_after_close_keeps_its_lease_until_it_ends() throws Exception {
        store.add("a");
        OutboxDispatcher dispatcher = builder()
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    running.add(Thread.currentThread());
                    awaitUninterruptibly(letGo);
                }))
                .drainTimeoutMs(0)
                .build();
        poller(dispatcher).poll();
        Thread worker = nextRunning();
        dispatcher.close();
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        letGo.countDown();
        worker.join(10_000);

        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertNothingIsHeld(dispatcher);
    }

    @Test
    void without_workers_close_gives_back_what_is_queued() {
        store.add("a");
        OutboxDispatcher dispatcher = builder().workerCount(0).build();
        poller(dispatcher).poll();
        write(dispatcher, "b");
        dispatcher.close();

        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.lockedBy("b")).isNull();
    }

    @Test
    void a_hot_event_that_a_full_queue_refused_is_given_back_and_polled_at_once() {
        CountDownLatch all = new CountDownLatch(3);
        OutboxDispatcher dispatcher = builder()
                .hotQueueCapacity(1)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    running.add(Thread.currentThread());
                    Await.opened(letGo);
                    all.countDown();
                }))
                .build();
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        CountDownLatch firstPoll = new CountDownLatch(1);
        store.afterRead(firstPoll::countDown);
        OutboxPoller poller = OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(NODE, TIMEOUT)
                .intervalMs(3_600_000)
                .build();
        poller.start();
        Await.opened(firstPoll);
        dispatcher.enqueueHot(hot("first"));
        nextRunning();
        // Both are written before either has its place, as two threads may do.
        hook.insert(store, null, List.of(event("a")));
        hook.insert(store, null, List.of(event("b")));
        hook.afterCommit(List.of(event("a")));
        hook.afterCommit(List.of(event("b")));
        letGo.countDown();
        Await.opened(all);
        poller.close();
        dispatcher.close();

        assertThat(metrics.hotDropped).hasValue(1);
        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(store.leaseCalls()).contains("lease.release node-1 [b]");
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
        assertThat(store.attempts("b")).isZero();
    }

    @Test
    void a_claimed_event_for_which_there_is_no_room_is_forgotten_because_the_poller_gives_it_back() {
        OutboxDispatcher dispatcher =
                builder().workerCount(0).coldQueueCapacity(1).build();
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        assertThat(handler.link().claimsAs(NODE, TIMEOUT)).isEqualTo(NODE);
        handler.link().pollStarting();

        assertThat(handler.handle(event("a"), 0)).isTrue();
        assertThat(handler.handle(event("b"), 0)).isFalse();
        assertThat(dispatcher.flow().parts().leases().isHeld("a")).isTrue();
        assertThat(dispatcher.flow().parts().leases().isHeld("b")).isFalse();
        assertThat(tracker.isFree("b")).isTrue();
        handler.link().pollFinished();
        dispatcher.close();
    }

    @Test
    void the_time_of_a_claim_counts_from_the_start_of_the_poll() {
        OutboxDispatcher dispatcher = builder().workerCount(0).build();
        DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
        handler.link().claimsAs(NODE, Duration.ofMinutes(1));
        handler.link().pollStarting();
        nanos.advance(Duration.ofSeconds(59));
        handler.handle(event("a"), 0);
        assertThat(dispatcher.flow().parts().leases().start("a")).isTrue();
        nanos.advance(Duration.ofSeconds(1));

        assertThat(dispatcher.flow().parts().leases().start("a")).isFalse();
        dispatcher.close();
    }

    @Test
    void without_claims_nothing_is_leased() {
        store.add("a");
        OutboxDispatcher dispatcher = builder().workerCount(0).build();
        OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .build()
                .poll();

        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(store.leaseCalls()).isEmpty();
        assertThat(dispatcher.flow().parts().leases().isOn()).isFalse();
        dispatcher.close();
    }

    @Test
    void a_second_poller_claims_under_the_name_of_the_first() {
        store.add("a");
        OutboxDispatcher dispatcher = builder().workerCount(0).build();
        poller(dispatcher);
        OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking("another-name", TIMEOUT)
                .build()
                .poll();

        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        dispatcher.close();
    }

    @Test
    void a_closed_dispatcher_has_a_name_but_renews_nothing() {
        OutboxDispatcher dispatcher = builder().workerCount(0).build();
        dispatcher.close();

        assertThat(dispatcher.claimsAs(NODE, TIMEOUT)).isEqualTo(NODE);
        assertThat(leaseConnections.journal()).isEmpty();
    }

    private void write(OutboxDispatcher dispatcher, String id) {
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        hook.insert(store, null, List.of(event(id)));
        hook.afterWrite(List.of(event(id)));
        hook.afterCommit(List.of(event(id)));
    }

    private void pass(Duration time) {
        clock.advance(time);
        nanos.advance(time);
    }

    private int claimAs(String ownerId) {
        return store.leases().claim(null, ownerId, TIMEOUT, Duration.ZERO, 10).size();
    }

    private Thread nextRunning() {
        try {
            Thread thread = running.poll(10, TimeUnit.SECONDS);
            assertThat(thread).as("no event was begun").isNotNull();
            return thread;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // goes on, as a listener may
            }
        }
    }

    private static void assertNothingIsHeld(OutboxDispatcher dispatcher) {
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(NODE, TIMEOUT)
                .build();
    }

    private void deliver(EventEnvelope received) throws InterruptedException {
        running.add(Thread.currentThread());
        letGo.await();
        delivered.add(received.eventId());
    }

    /** With one worker, whose listener waits until it is let go. */
    private OutboxDispatcher.Builder builder() {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .leaseConnectionProvider(leaseConnections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, this::deliver))
                .inFlightTracker(tracker)
                .metrics(metrics)
                .clock(clock)
                .nanoTime(nanos)
                .drainTimeoutMs(20_000)
                .workerCount(1);
    }
}
