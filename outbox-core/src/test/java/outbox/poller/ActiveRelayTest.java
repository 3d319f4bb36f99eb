package outbox.poller;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.spi.RelayLock;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.NamedThreads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(30)
class ActiveRelayTest {

    private final CapturedLog log = new CapturedLog();
    private final StubRelayLock lock = new StubRelayLock();
    private final CountDownLatch becameActive = new CountDownLatch(1);
    private volatile boolean canDeliver = true;
    private final ActiveRelay relay = new ActiveRelay(lock, null, () -> canDeliver, becameActive::countDown);

    @AfterEach
    void stop() {
        relay.close();
        log.close();
    }

    @Test
    void nobody_is_active_before_the_lock_was_asked_for() {
        lock.give();

        assertThat(relay.isActive()).isFalse();
        assertThat(lock.journal()).isEmpty();
    }

    @Test
    void the_holder_of_the_lock_is_active_until_it_loses_it() {
        assertThat(relay.verify()).isFalse();
        lock.give();
        assertThat(relay.isActive()).isFalse();
        assertThat(relay.verify()).isTrue();
        assertThat(relay.isActive()).isTrue();
        lock.take();
        assertThat(relay.verify()).isFalse();
        assertThat(relay.isActive()).isFalse();
    }

    @Test
    void only_changes_are_logged() {
        relay.verify();
        lock.give();
        relay.verify();
        relay.verify();
        lock.take();
        relay.verify();
        relay.verify();

        assertThat(log.at(Level.INFO))
                .containsExactly("This process is the active relay now", "This process is no longer the active relay");
    }

    static Stream<Exception> failures() {
        return Stream.of(new SQLException("connection is dead"), new IllegalStateException("pool is closed"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_lock_that_does_not_answer_means_no(Exception failure) {
        lock.failWith(failure);

        assertThat(relay.verify()).isFalse();
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void an_active_process_whose_lock_does_not_answer_is_active_no_longer_and_says_so(Exception failure) {
        lock.give();
        relay.verify();
        lock.failWith(failure);

        assertThat(relay.verify()).isFalse();
        assertThat(relay.isActive()).isFalse();
        assertThat(log.at(Level.WARNING)).containsExactly("Cannot ask whether this process is the active relay");
        assertThat(log.lines()).extracting(CapturedLog.Line::thrown).contains(failure);
        lock.give();
        assertThat(relay.verify()).isTrue();
    }

    @Test
    void one_that_cannot_deliver_lets_go_of_the_lock_once_and_does_not_try_for_it_until_it_can() {
        lock.give();
        relay.verify();
        canDeliver = false;

        assertThat(relay.verify()).isFalse();
        assertThat(relay.isActive()).isFalse();
        assertThat(relay.verify()).isFalse();
        assertThat(lock.journal()).containsExactly("tryHold", "close");
        assertThat(log.at(Level.INFO))
                .last()
                .isEqualTo("This process is no longer the active relay: it cannot deliver now");
        canDeliver = true;
        assertThat(relay.verify()).isTrue();
    }

    @Test
    void a_lock_that_may_be_ours_without_our_knowing_is_let_go_as_well() {
        lock.failWith(new SQLException("the answer was lost"));
        relay.verify();
        canDeliver = false;
        relay.verify();

        assertThat(lock.journal()).containsExactly("tryHold", "close");
    }

    @Test
    void one_that_never_could_deliver_leaves_the_lock_alone() {
        canDeliver = false;
        lock.give();

        assertThat(relay.verify()).isFalse();
        assertThat(lock.journal()).isEmpty();
    }

    @Test
    void a_lock_that_could_not_be_let_go_is_let_go_later() {
        lock.give();
        relay.verify();
        lock.failOnClose(new IllegalStateException("not now"));
        canDeliver = false;

        assertThat(relay.verify()).isFalse();
        assertThat(log.at(Level.WARNING)).containsExactly("Cannot let another process become the active relay yet");
        lock.failOnClose(null);
        relay.verify();
        relay.verify();
        assertThat(lock.journal()).containsExactly("tryHold", "close", "close");
    }

    @Test
    void once_started_it_keeps_asking_and_tells_when_it_became_active() {
        CountDownLatch first = lock.nextAsk();
        relay.start();
        Await.opened(first);
        assertThat(becameActive.getCount()).isEqualTo(1);
        lock.give();

        Await.opened(becameActive);
        assertThat(relay.isActive()).isTrue();
    }

    @Test
    void once_started_it_notices_that_the_lock_is_gone() {
        lock.give();
        relay.start();
        Await.opened(becameActive);
        CountDownLatch next = lock.take().nextAsk();
        Await.opened(next);
        relay.close(); // waits for the check that is under way

        assertThat(log.at(Level.INFO)).last().isEqualTo("This process is no longer the active relay");
    }

    @Test
    void close_frees_the_lock_which_is_never_asked_for_again() {
        lock.give();
        relay.verify();
        relay.close();

        assertThat(relay.isActive()).isFalse();
        assertThat(relay.verify()).isFalse();
        assertThat(lock.journal()).containsExactly("tryHold", "close");
        assertThatIllegalStateException().isThrownBy(relay::start);
    }

    @Test
    void a_close_does_not_wait_for_a_database_that_never_answers() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ActiveRelay silent = new ActiveRelay(
                new RelayLock() {
                    @Override
                    public boolean tryHold() {
                        asked.countDown();
                        Await.deafly(answer);
                        return true;
                    }

                    @Override
                    public void close() {
                        closed.countDown();
                    }
                },
                null,
                () -> true,
                becameActive::countDown);
        silent.start();
        Await.opened(asked);
        silent.close(Duration.ZERO);

        Await.opened(closed);
        assertThat(silent.isActive()).isFalse();
        answer.countDown();
        assertThat(NamedThreads.lasting("outbox-relay-")).isEmpty();
        assertThat(silent.isActive()).as("after an answer that came too late").isFalse();
    }

    @Test
    void closing_before_the_start_and_twice_is_harmless() {
        relay.close();
        relay.close();

        assertThat(lock.journal()).doesNotContain("tryHold");
    }

    @Test
    void close_leaves_no_thread() {
        relay.start();
        relay.close();

        assertThat(NamedThreads.lasting("outbox-relay-")).isEmpty();
    }
}
