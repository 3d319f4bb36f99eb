package outbox.internal.task;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ThrowingLog;
import outbox.util.DaemonThreadFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(20)
class LoopThreadTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(10);

    private final CapturedLog log = new CapturedLog();
    private final CountDownLatch finish = new CountDownLatch(1);

    @AfterEach
    void stopCapturing() {
        finish.countDown();
        log.close();
    }

    private static LoopThread thread(Runnable loop) {
        return new LoopThread(new DaemonThreadFactory("loop-"), loop);
    }

    @Test
    void a_loop_that_returns_has_ended() throws Exception {
        LoopThread thread = thread(() -> {});
        thread.start();

        assertThat(thread.awaitEnd(LONG)).isTrue();
        assertThat(thread.runs()).isTrue();
        assertThat(thread.problem()).isNull();
    }

    @Test
    void a_loop_that_fails_is_restarted_on_the_same_thread() throws Exception {
        LinkedBlockingQueue<Thread> runs = new LinkedBlockingQueue<>();
        LoopThread thread = thread(() -> {
            runs.add(Thread.currentThread());
            if (runs.size() < 3) {
                throw new OutOfMemoryError("heap");
            }
        });
        thread.start();

        assertThat(thread.awaitEnd(LONG)).isTrue();
        assertThat(runs).hasSize(3);
        assertThat(runs).containsOnly(runs.peek());
    }

    @Test
    void a_log_that_fails_as_well_does_not_end_it() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (ThrowingLog broken = new ThrowingLog()) {
            LoopThread thread = thread(() -> {
                if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException("no");
                }
            });
            thread.start();

            assertThat(thread.awaitEnd(LONG)).isTrue();
            assertThat(broken.lines()).isPositive();
        }
        assertThat(runs).hasValue(2);
    }

    @Test
    void while_it_does_not_run_it_says_so_and_after_its_end_it_is_not_restarted() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        LoopThread thread = thread(() -> {
            runs.incrementAndGet();
            throw new LinkageError("no such class");
        });
        thread.start();
        while (thread.runs()) {
            Thread.onSpinWait();
        }

        assertThat(thread.problem()).startsWith("Thread loop-1 has failed with java.lang.LinkageError");
        thread.end();
        assertThat(thread.awaitEnd(LONG)).isTrue();
        assertThat(thread.problem()).isNull();
    }

    @Test
    void a_thread_that_does_not_live_is_a_problem() {
        LoopThread thread = new LoopThread(loop -> new Thread(() -> {}, "stillborn"), () -> {
            throw new AssertionError("never run");
        });
        thread.start();
        while (thread.runs()) {
            Thread.onSpinWait();
        }

        assertThat(thread.problem()).isEqualTo("Thread stillborn does not run");
    }

    @Test
    void the_caller_learns_that_the_thread_cannot_be_started() {
        LoopThread thread = new LoopThread(
                loop -> new Thread(loop) {
                    @Override
                    public synchronized void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                },
                () -> {});

        assertThatThrownBy(thread::start).isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void it_knows_its_own_thread_and_a_wait_for_its_end_is_bounded() throws Exception {
        AtomicBoolean own = new AtomicBoolean();
        CountDownLatch running = new CountDownLatch(1);
        LoopThread[] self = new LoopThread[1];
        self[0] = thread(() -> {
            own.set(self[0].isCurrent());
            running.countDown();
            Await.opened(finish);
        });
        self[0].start();
        Await.opened(running);

        assertThat(own).isTrue();
        assertThat(self[0].isCurrent()).isFalse();
        assertThat(self[0].awaitEnd(0)).isFalse();
        assertThat(self[0].awaitEnd(1)).isFalse();
        assertThat(self[0].runs()).isTrue();
        finish.countDown();
        assertThat(self[0].awaitEnd(LONG)).isTrue();
    }
}
