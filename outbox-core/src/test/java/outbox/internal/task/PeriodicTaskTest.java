package outbox.internal.task;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ThrowingLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.InstanceOfAssertFactories.COLLECTION;

@Timeout(20)
class PeriodicTaskTest {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void runs_at_once_and_again_on_one_daemon_thread() throws InterruptedException {
        SynchronousQueue<Thread> runs = new SynchronousQueue<>();
        try (PeriodicTask task = task(SHORT, () -> runs.offer(Thread.currentThread(), 1, TimeUnit.SECONDS))) {
            task.start();
            Thread first = runs.poll(10, TimeUnit.SECONDS);
            Thread second = runs.poll(10, TimeUnit.SECONDS);

            assertThat(first).isNotNull().isSameAs(second);
            assertThat(first.getName()).isEqualTo("test-1");
            assertThat(first.isDaemon()).isTrue();
        }
    }

    @Test
    void nothing_runs_before_the_start() {
        AtomicInteger runs = new AtomicInteger();
        try (PeriodicTask task = task(SHORT, runs::incrementAndGet)) {
            assertThat(task.isClosed()).isFalse();
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void starting_twice_starts_one_schedule() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        PeriodicTask task = task(LONG, () -> {
            runs.incrementAndGet();
            running.countDown();
            return finish.await(10, TimeUnit.SECONDS);
        });
        task.start();
        assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
        task.start();
        finish.countDown();
        task.close();

        assertThat(runs).hasValue(1);
    }

    @Test
    void after_the_close_it_cannot_be_started() {
        PeriodicTask task = task(SHORT, () -> null);
        task.close();
        task.close();

        assertThat(task.isClosed()).isTrue();
        assertThatIllegalStateException().isThrownBy(task::start).withMessage("Cleaner has been closed");
    }

    @Test
    void close_waits_for_the_run_that_is_under_way() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        AtomicBoolean finished = new AtomicBoolean();
        AtomicBoolean interrupted = new AtomicBoolean();
        PeriodicTask task = task(LONG, () -> {
            running.countDown();
            interrupted.set(!closing.await(10, TimeUnit.SECONDS));
            finished.set(true);
            return null;
        });
        task.start();
        assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
        Thread releaser = new Thread(() -> {
            while (!task.isClosed()) {
                Thread.onSpinWait();
            }
            closing.countDown();
        });
        releaser.start();
        task.close();

        assertThat(finished).isTrue();
        assertThat(interrupted).isFalse();
        releaser.join();
    }

    @Test
    void a_run_that_fails_is_logged_and_the_next_one_comes() throws InterruptedException {
        CountDownLatch thirdRun = new CountDownLatch(3);
        try (CapturedLog log = new CapturedLog();
                PeriodicTask task = task(SHORT, () -> {
                    thirdRun.countDown();
                    if (thirdRun.getCount() == 2) {
                        throw new AssertionError("first");
                    }
                    throw new IllegalStateException("second");
                })) {
            task.start();

            assertThat(thirdRun.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(log.at(Level.SEVERE)).contains("Cleaner failed; the next run will try again");
        }
    }

    @Test
    void a_run_may_close_its_own_task() throws InterruptedException {
        AtomicReference<PeriodicTask> self = new AtomicReference<>();
        CountDownLatch closed = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        PeriodicTask task = task(SHORT, () -> {
            runs.incrementAndGet();
            self.get().close();
            closed.countDown();
            return null;
        });
        self.set(task);
        task.start();

        assertThat(closed.await(3, TimeUnit.SECONDS)).isTrue();
        task.close();
        assertThat(runs).hasValue(1);
    }

    @Test
    void an_interrupted_close_interrupts_the_run_and_keeps_the_flag() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        PeriodicTask task = task(LONG, () -> {
            running.countDown();
            try {
                return new CountDownLatch(1).await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted.countDown();
                return null;
            }
        });
        task.start();
        assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
        Thread.currentThread().interrupt();
        task.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_request_leads_to_a_run_before_the_pause_is_over() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        try (PeriodicTask task = counting(runs)) {
            task.start();
            awaitRun(runs, 1);
            task.runSoon();
            awaitRun(runs, 2);
            task.runAfter(Duration.ZERO);
            awaitRun(runs, 3);
            task.runSoon();
            awaitRun(runs, 4);
        }
    }

    @Test
    void a_request_for_later_is_not_served_before() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        try (PeriodicTask task = counting(runs)) {
            task.start();
            awaitRun(runs, 1);
            long asked = System.nanoTime();
            task.runAfter(Duration.ofMillis(50));
            awaitRun(runs, 2);

            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
        }
    }

    @Test
    void requests_that_come_during_a_run_share_one_more() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        AtomicReference<PeriodicTask> self = new AtomicReference<>();
        AtomicInteger count = new AtomicInteger();
        PeriodicTask task = task(LONG, () -> {
            if (count.incrementAndGet() == 1) {
                for (int i = 0; i < 100; i++) {
                    self.get().runSoon();
                }
            }
            return runs.add(count.get());
        });
        self.set(task);
        task.start();
        awaitRun(runs, 1);
        awaitRun(runs, 2);
        task.runSoon(); // a superfluous run would have been queued before this one
        awaitRun(runs, 3);
        task.close();

        assertThat(count).hasValue(3);
    }

    @Test
    void requests_for_about_the_same_time_share_a_run() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        AtomicInteger count = new AtomicInteger();
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        PeriodicTask task = task(LONG, () -> {
            int run = count.incrementAndGet();
            runs.add(run);
            return asked.await(10, TimeUnit.SECONDS);
        });
        task.start();
        awaitRun(runs, 1);
        for (int i = 0; i < 10_000; i++) {
            task.runAfter(Duration.ZERO);
        }
        asked.countDown();
        while (waitingLater(task) > 0) {
            Thread.onSpinWait();
        }
        task.close();

        assertThat(count).hasValueBetween(2, 1_000);
    }

    @Test
    void a_run_on_request_can_bring_the_next_periodic_one_forward() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        AtomicReference<PeriodicTask> self = new AtomicReference<>();
        try (PeriodicTask task = new PeriodicTask("Test", "test", Duration.ofDays(1), () -> {
            runs.add(count.incrementAndGet());
            if (count.get() == 2) {
                self.get().runPeriodicallyWithin(Duration.ofMillis(1));
            }
        })) {
            self.set(task);
            task.start();
            awaitRun(runs, 1);
            task.runSoon();
            awaitRun(runs, 2);
            awaitRun(runs, 3);
        }
    }

    @Test
    void requests_before_the_start_start_nothing_and_leave_nothing_behind() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        try (PeriodicTask task = counting(runs)) {
            task.runSoon();
            task.runAfter(Duration.ZERO);
            task.runAfter(Duration.ofMinutes(1));
            assertThat(waitingLater(task)).isZero();
            assertThat(runs).isEmpty();
            task.start();
            awaitRun(runs, 1);
            task.runSoon();
            awaitRun(runs, 2);
        }
    }

    @Test
    void requests_after_the_close_are_ignored() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        PeriodicTask task = counting(runs);
        task.start();
        awaitRun(runs, 1);
        task.close();
        task.runSoon();
        task.runSoon();
        task.runAfter(Duration.ZERO);

        assertThat(waitingLater(task)).isZero();
        assertThat(runs).isEmpty();
    }

    @Test
    @Timeout(4)
    void close_does_not_wait_for_runs_that_were_asked_for_later() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        try (CapturedLog log = new CapturedLog()) {
            PeriodicTask task = counting(runs);
            task.start();
            awaitRun(runs, 1);
            task.runAfter(Duration.ofHours(1));
            task.close();

            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void a_request_for_a_time_beyond_all_counting_is_left_to_the_periodic_runs() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        try (PeriodicTask task = counting(runs)) {
            task.start();
            awaitRun(runs, 1);
            task.runAfter(Duration.ofSeconds(Long.MAX_VALUE));
            task.runAfter(Duration.ofDays(365));
            assertThat(waitingLater(task)).isEqualTo(1);
            task.runSoon();
            awaitRun(runs, 2);
        }
    }

    @Test
    void a_requested_run_that_fails_is_logged_and_the_next_request_is_served() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        try (CapturedLog log = new CapturedLog();
                PeriodicTask task = task(LONG, () -> {
                    runs.add(count.incrementAndGet());
                    throw new IllegalStateException("no");
                })) {
            task.start();
            awaitRun(runs, 1);
            task.runSoon();
            awaitRun(runs, 2);
            task.runAfter(Duration.ZERO);
            awaitRun(runs, 3);
            task.runSoon();
            awaitRun(runs, 4);

            assertThat(log.at(Level.SEVERE)).contains("Cleaner failed; the next run will try again");
        }
    }

    @Test
    void memory_that_runs_out_while_the_next_run_is_arranged_does_not_end_the_runs() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        AtomicInteger questions = new AtomicInteger();
        Supplier<Duration> pause = () -> {
            if (questions.incrementAndGet() == 1) {
                throw new OutOfMemoryError("heap");
            }
            return SHORT;
        };
        try (CapturedLog log = new CapturedLog();
                PeriodicTask task =
                        new PeriodicTask("Cleaner", "test-", pause, () -> runs.add(count.incrementAndGet()))) {
            task.start();
            awaitRun(runs, 1);
            awaitRun(runs, 2);

            assertThat(log.at(Level.SEVERE)).isNotEmpty();
            assertThat(task.problem()).isNull();
        }
    }

    @Test
    void a_log_that_throws_does_not_end_the_runs() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        AtomicInteger count = new AtomicInteger();
        try (ThrowingLog log = new ThrowingLog(() -> new OutOfMemoryError("heap"));
                PeriodicTask task = task(SHORT, () -> {
                    runs.add(count.incrementAndGet());
                    throw new IllegalStateException("no");
                })) {
            task.start();
            awaitRun(runs, 1);
            awaitRun(runs, 2);
            task.runSoon();
            awaitRun(runs, 3);

            assertThat(log.lines()).isPositive();
        }
    }

    @Test
    void an_interrupt_that_a_run_leaves_behind_does_not_reach_the_next_one() throws InterruptedException {
        BlockingQueue<Boolean> flags = new LinkedBlockingQueue<>();
        try (PeriodicTask task = task(SHORT, () -> {
            boolean added = flags.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
            return added;
        })) {
            task.start();
            assertThat(flags.poll(10, TimeUnit.SECONDS)).isFalse();
            assertThat(flags.poll(10, TimeUnit.SECONDS)).isFalse();
        }
    }

    @Test
    void before_the_start_and_after_the_close_there_is_no_problem() {
        PeriodicTask task = task(LONG, () -> null);
        assertThat(task.problem()).isNull();
        task.start();
        assertThat(task.problem()).isNull();
        task.close();
        assertThat(task.problem()).isNull();
    }

    private static PeriodicTask counting(BlockingQueue<Integer> runs) {
        AtomicInteger count = new AtomicInteger();
        return task(LONG, () -> runs.add(count.incrementAndGet()));
    }

    private static void awaitRun(BlockingQueue<Integer> runs, int expected) throws InterruptedException {
        assertThat(runs.poll(10, TimeUnit.SECONDS)).isEqualTo(expected);
    }

    private static int waitingLater(PeriodicTask task) {
        return assertThat(task)
                .extracting("requestedLater")
                .asInstanceOf(COLLECTION)
                .actual()
                .size();
    }

    private interface Duty {
        Object run() throws Exception;
    }

    private static PeriodicTask task(Duration pause, Duty duty) {
        return new PeriodicTask("Cleaner", "test-", pause, () -> {
            try {
                Object unused = duty.run();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
