package outbox.poller;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** Pollers of which only the one with the lock does anything. */
@Timeout(30)
class OutboxPollerSingleActiveTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:01:00Z"));
    private final StubConnections connections = StubConnections.autoCommitting();
    private final StubRelayLock lock = new StubRelayLock();
    private final CountDownLatch handled = new CountDownLatch(1);
    private BooleanSupplier deliverOnlyWhile;

    OutboxPollerSingleActiveTest() {
        store.add("a");
    }

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void a_poll_does_nothing_while_another_process_is_active() {
        try (OutboxPoller poller = builder().build()) {
            poller.poll();
        }

        assertThat(store.calls()).isEmpty();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void each_poll_asks_first_whether_this_process_is_still_active() {
        try (OutboxPoller poller = builder().build()) {
            lock.give();
            poller.poll();
            lock.take();
            poller.poll();
        }

        assertThat(store.reads() + store.leaseCalls().size()).isEqualTo(1);
        assertThat(lock.journal()).containsExactly("tryHold", "tryHold", "close");
    }

    @Test
    void a_lock_that_throws_keeps_the_poller_from_the_table_and_is_no_failed_poll() {
        lock.failWith(new SQLException("database is away"));
        try (OutboxPoller poller = builder().build()) {
            poller.poll();
        }

        assertThat(store.calls()).isEmpty();
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @Test
    void a_process_that_becomes_active_polls_at_once_and_not_after_the_interval() {
        CountDownLatch asked = lock.nextAsk();
        try (OutboxPoller poller = builder().intervalMs(3_600_000).build()) {
            poller.start();
            Await.opened(asked);
            assertThat(handled.getCount()).isEqualTo(1);
            lock.give();

            Await.opened(handled);
        }
    }

    @Test
    void the_handler_is_told_when_to_deliver() {
        try (OutboxPoller poller = builder().build()) {
            assertThat(deliverOnlyWhile.getAsBoolean()).isFalse();
            lock.give();
            poller.poll();
            assertThat(deliverOnlyWhile.getAsBoolean()).isTrue();
            lock.take();
            assertThat(deliverOnlyWhile.getAsBoolean()).isTrue(); // does not ask the lock each time
            poller.poll();
            assertThat(deliverOnlyWhile.getAsBoolean()).isFalse();
            lock.give();
            poller.poll();
        }

        assertThat(deliverOnlyWhile.getAsBoolean()).isFalse();
    }

    @Test
    void a_poller_without_a_lock_restricts_nobody() {
        OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new Handler())
                .claimLocking(TIMEOUT)
                .build()
                .poll();

        assertThat(deliverOnlyWhile).isNull();
        Await.opened(handled);
    }

    @Test
    void close_frees_the_lock_and_it_is_not_taken_again() {
        lock.give();
        OutboxPoller poller = builder().intervalMs(1).build();
        poller.start();
        Await.opened(handled);
        poller.close();
        poller.poll();

        assertThat(lock.journal()).last().isEqualTo("close");
        assertThat(lock.journal().stream().filter("close"::equals)).hasSize(1);
    }

    @Test
    void without_claim_locking_it_is_refused() {
        OutboxPoller.Builder builder = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new Handler())
                .singleActive(lock);

        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage(
                        "singleActive needs claim locking, which protects events that the last active process is still delivering from the next one;"
                                + " call claimLocking as well");
        assertThat(lock.journal()).isEmpty();
        assertThatNullPointerException()
                .isThrownBy(() -> builder.singleActive(null))
                .withMessage("relayLock");
    }

    private OutboxPoller.Builder builder() {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new Handler())
                .claimLocking("node-1", TIMEOUT)
                .singleActive(lock);
    }

    private final class Handler implements LinkedHandler {

        @Override
        public boolean handle(EventEnvelope event, int attempts) {
            handled.countDown();
            return true;
        }

        @Override
        public void deliverOnlyWhile(BooleanSupplier active) {
            deliverOnlyWhile = active;
        }
    }
}
