package outbox.dispatch;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.hot;

/** The wake-ups alone must drain the table: the interval is an hour. */
@Timeout(30)
class BacklogTest {

    private static final int BACKLOG = 5_000;
    private static final int BATCH = 500;

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void a_backlog_is_drained_with_locks_in_few_claims_and_few_marks() {
        drain(1_000, BATCH, true);

        assertThat(store.reads()).isLessThanOrEqualTo(BACKLOG / (BATCH / 2) + 5);
        assertThat(store.groups()).hasSizeLessThan(BACKLOG / 10);
    }

    @Test
    void a_backlog_is_drained_without_locks_in_few_polls_and_few_marks() {
        drain(1_000, BATCH, false);

        assertThat(store.reads()).isLessThanOrEqualTo(BACKLOG / (BATCH / 2) + 5);
        assertThat(store.groups()).hasSizeLessThan(BACKLOG / 10);
    }

    @Test
    void a_batch_larger_than_the_queue_is_drained_with_locks() {
        drain(200, BATCH, true);

        assertThat(store.reads()).isLessThanOrEqualTo(BACKLOG / 100 + 5);
    }

    @Test
    void a_batch_larger_than_the_queue_is_drained_without_locks() {
        drain(200, BATCH, false);

        assertThat(store.reads()).isLessThanOrEqualTo(BACKLOG / 100 + 5);
    }

    @Test
    void a_hot_event_that_found_no_room_is_delivered_without_waiting_for_the_interval() {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(3);
        OutboxDispatcher dispatcher = dispatcher(10, event -> {
            running.countDown();
            Await.opened(goOn);
            delivered.add(event.eventId());
            all.countDown();
        });
        CountDownLatch firstPoll = new CountDownLatch(1);
        store.afterRead(firstPoll::countDown);
        try (OutboxPoller poller = poller(dispatcher, 10, true)) {
            poller.start();
            Await.opened(firstPoll);
            store.add("a", "b", "c");
            dispatcher.enqueueHot(hot("a"));
            Await.opened(running);
            assertThat(dispatcher.enqueueHot(hot("b"))).isTrue();
            assertThat(dispatcher.enqueueHot(hot("c"))).isFalse();
            goOn.countDown();
            Await.opened(all);
        }
        dispatcher.close();

        assertThat(delivered).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(3);
    }

    @Test
    void a_failed_event_is_delivered_again_when_it_is_due_without_waiting_for_the_interval() {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        store.add("a");
        OutboxDispatcher dispatcher = dispatcher(10, event -> {
            if (tries.incrementAndGet() < 4) {
                throw new IllegalStateException("not yet");
            }
            done.countDown();
        });
        try (OutboxPoller poller = poller(dispatcher, 10, true)) {
            poller.start();
            Await.opened(done);
        }
        dispatcher.close();

        assertThat(tries).hasValue(4);
        assertThat(store.attempts("a")).isEqualTo(3);
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void a_retry_that_is_never_due_harms_nobody() {
        CountDownLatch failed = new CountDownLatch(2);
        store.add("a", "b");
        OutboxDispatcher dispatcher = builder(10, event -> {
                    failed.countDown();
                    throw new IllegalStateException("no");
                })
                .retryPolicy(attempts -> Long.MAX_VALUE)
                .build();
        try (OutboxPoller poller = poller(dispatcher, 10, true)) {
            poller.start();
            Await.opened(failed);
            dispatcher.close();
        }

        assertThat(store.count(EventStatus.RETRY)).isEqualTo(2);
        assertThat(dispatcher.enqueueHot(Events.hot("a"))).isFalse();
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    private void drain(int coldCapacity, int batchSize, boolean locking) {
        for (int i = 0; i < BACKLOG; i++) {
            store.add(Events.row("e" + i));
        }
        CountDownLatch all = new CountDownLatch(BACKLOG);
        OutboxDispatcher dispatcher = dispatcher(coldCapacity, received -> {
            delivered.add(received.eventId());
            all.countDown();
        });
        try (OutboxPoller poller = poller(dispatcher, batchSize, locking)) {
            poller.start();
            Await.opened(all);
        }
        dispatcher.close();

        assertThat(delivered).hasSize(BACKLOG).doesNotHaveDuplicates();
        assertThat(store.count(EventStatus.DONE)).isEqualTo(BACKLOG);
    }

    private OutboxDispatcher dispatcher(int coldCapacity, EventListener listener) {
        return builder(coldCapacity, listener).build();
    }

    private OutboxDispatcher.Builder builder(int coldCapacity, EventListener listener) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .retryPolicy(attempts -> 1)
                .hotQueueCapacity(1)
                .coldQueueCapacity(coldCapacity)
                .completionLingerMs(20)
                .drainTimeoutMs(20_000)
                .workerCount(1);
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher, int batchSize, boolean locking) {
        OutboxPoller.Builder builder = OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .batchSize(batchSize)
                .intervalMs(Duration.ofHours(1).toMillis());
        return (locking ? builder.claimLocking(Duration.ofMinutes(5)) : builder).build();
    }
}
