package outbox.poller;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(20)
class OutboxPollerLifecycleTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final CountDownLatch handled = new CountDownLatch(3);
    private final AtomicReference<Thread> pollingThread = new AtomicReference<>();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void a_started_poller_polls_at_once_and_after_each_interval_on_a_daemon_thread() {
        store.add("a");
        try (OutboxPoller poller = builder().intervalMs(1).build()) {
            poller.start();
            Await.opened(handled);
        }

        assertThat(pollingThread.get().getName()).isEqualTo("outbox-poller-1");
        assertThat(pollingThread.get().isDaemon()).isTrue();
    }

    @Test
    void starting_twice_polls_on_one_schedule() {
        CountDownLatch polled = new CountDownLatch(1);
        AtomicInteger polls = new AtomicInteger();
        store.afterRead(() -> {
            polls.incrementAndGet();
            polled.countDown();
        });
        try (OutboxPoller poller = builder().intervalMs(3_600_000).build()) {
            poller.start();
            poller.start();
            Await.opened(polled);
        }

        assertThat(polls).hasValue(1);
    }

    @Test
    void a_store_that_fails_is_logged_and_the_schedule_lives_on() {
        store.add("a");
        try (OutboxPoller poller = builder().intervalMs(1).build()) {
            poller.start();
            Await.opened(handled);
            store.failNext(2);
            CountDownLatch readAgain = new CountDownLatch(1);
            store.afterRead(readAgain::countDown);
            Await.opened(readAgain);
        }

        assertThat(log.at(Level.SEVERE)).allMatch(line -> line.startsWith("Poll of "));
    }

    @Test
    void after_close_nothing_is_polled() {
        store.add("a");
        OutboxPoller poller = builder().build();
        poller.close();
        poller.close();
        poller.poll();

        assertThat(store.calls()).isEmpty();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void after_close_it_cannot_be_started_and_the_table_is_not_looked_at() {
        OutboxPoller poller = builder().build();
        poller.close();

        assertThatIllegalStateException().isThrownBy(poller::start).withMessage("OutboxPoller has been closed");
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void close_waits_for_the_poll_that_is_under_way() throws InterruptedException {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.afterRead(() -> {
            reading.countDown();
            Await.opened(goOn);
        });
        OutboxPoller poller = builder().build();
        poller.start();
        Await.opened(reading);
        Thread closer = new Thread(poller::close);
        closer.start();
        Await.waiting(closer);
        goOn.countDown();
        closer.join(10_000);

        assertThat(closer.isAlive()).isFalse();
    }

    @Test
    void polls_run_one_at_a_time() throws InterruptedException {
        AtomicInteger concurrent = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch firstReads = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.afterRead(() -> {
            most.accumulateAndGet(concurrent.incrementAndGet(), Math::max);
            firstReads.countDown();
            Await.opened(goOn);
            concurrent.decrementAndGet();
        });
        OutboxPoller poller = builder().build();
        Thread first = new Thread(poller::poll);
        Thread second = new Thread(poller::poll);
        first.start();
        Await.opened(firstReads);
        second.start();
        Await.waiting(second);
        goOn.countDown();
        first.join(10_000);
        second.join(10_000);

        assertThat(store.calls()).hasSize(2);
        assertThat(most).hasValue(1);
    }

    @Test
    void the_table_is_checked_at_the_start() {
        CountDownLatch polled = new CountDownLatch(1);
        store.afterRead(polled::countDown);
        try (OutboxPoller poller = builder().build()) {
            poller.start();
            Await.opened(polled);
        }

        assertThat(store.calls()).hasSize(2).first().isEqualTo("checkSchema");
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void a_table_that_lacks_something_fails_the_start_and_nothing_is_polled() {
        IllegalStateException missing = new IllegalStateException("column is missing");
        store.failWith(missing);
        try (OutboxPoller poller = builder().build()) {
            assertThatThrownBy(poller::start).isSameAs(missing);
        }

        assertThat(store.calls()).containsExactly("checkSchema");
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void a_database_that_cannot_be_reached_yet_does_not_fail_the_start() {
        connections.failToOpen(1);
        CountDownLatch polled = new CountDownLatch(1);
        store.afterRead(polled::countDown);
        try (OutboxPoller poller = builder().build()) {
            poller.start();
            Await.opened(polled);
        }

        assertThat(store.calls()).noneMatch("checkSchema"::equals);
        assertThat(log.at(Level.WARNING)).hasSize(1).first().asString().contains("not available yet");
    }

    @Test
    void three_parts_are_required() {
        OutboxPoller.Builder builder = OutboxPoller.builder();
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("connectionProvider is required");
        builder.connectionProvider(connections);
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("outboxStore is required");
        builder.outboxStore(store);
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("handler is required");
        builder.handler((event, attempts) -> true).build().close();
    }

    @Test
    void nonsense_is_rejected_at_once() {
        OutboxPoller.Builder builder = OutboxPoller.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.batchSize(0))
                .withMessage("batchSize must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.intervalMs(0))
                .withMessage("intervalMs must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.skipRecent(Duration.ofMillis(-1)))
                .withMessage("skipRecent must not be negative, was PT-0.001S");
        assertThatNullPointerException().isThrownBy(() -> builder.skipRecent(null));
        assertThatNullPointerException().isThrownBy(() -> builder.metrics(null));
        assertThatNullPointerException().isThrownBy(() -> builder.jsonCodec(null));
        assertThatNullPointerException().isThrownBy(() -> builder.clock(null));
        assertThat(builder.batchSize(1).intervalMs(1).skipRecent(Duration.ZERO)).isSameAs(builder);
    }

    @Test
    void defaults_are_those_of_the_specification() {
        assertThat(OutboxPoller.DEFAULT_BATCH_SIZE).isEqualTo(50);
        assertThat(OutboxPoller.DEFAULT_INTERVAL_MS).isEqualTo(5000);
    }

    private OutboxPoller.Builder builder() {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler((event, attempts) -> {
                    pollingThread.set(Thread.currentThread());
                    handled.countDown();
                    return true;
                });
    }
}
