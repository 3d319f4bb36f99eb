package outbox.internal.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.NamedThreads;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class LastWorkTest {

    private static final Duration PLENTY = Duration.ofSeconds(20);

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void work_is_done_on_another_thread_before_the_call_returns() {
        List<Thread> threads = new ArrayList<>();

        assertThat(LastWork.within(PLENTY, "Work", () -> threads.add(Thread.currentThread())))
                .isTrue();
        assertThat(threads).hasSize(1).doesNotContain(Thread.currentThread());
        assertThat(threads.get(0).isDaemon()).isTrue();
    }

    @Test
    void work_that_does_not_end_is_not_waited_for_and_goes_on() {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);

        assertThat(LastWork.within(Duration.ofMillis(1), "Work", () -> {
                    Await.deafly(answer);
                    done.countDown();
                }))
                .isFalse();
        assertThat(log.at(Level.WARNING)).containsExactly("Work takes longer than 1 ms; no longer waiting for it");
        answer.countDown();
        Await.opened(done);
        assertThat(NamedThreads.lasting("outbox-close-")).isEmpty();
    }

    @Test
    void work_that_fails_has_ended_and_is_logged() {
        assertThat(LastWork.within(PLENTY, "Work", () -> {
                    throw new IllegalStateException("no");
                }))
                .isTrue();
        assertThat(log.at(Level.WARNING)).containsExactly("Work failed");
    }

    @Test
    void an_interrupt_ends_the_wait_and_is_kept() {
        CountDownLatch answer = new CountDownLatch(1);
        Thread.currentThread().interrupt();

        assertThat(LastWork.within(PLENTY, "Work", () -> Await.deafly(answer))).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        answer.countDown();
    }
}
