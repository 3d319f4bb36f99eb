package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;

class DefaultInFlightTrackerTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    @Test
    void an_event_is_taken_once() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker();

        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
        assertThat(tracker.tryAcquire("b")).isTrue();
    }

    @Test
    void a_released_event_can_be_taken_again() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker();
        assertThat(tracker.tryAcquire("a")).isTrue();
        tracker.release("a");

        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @Test
    void releasing_what_is_not_taken_is_no_error() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker();
        tracker.release("unknown");

        assertThat(tracker.tryAcquire("unknown")).isTrue();
    }

    @Test
    void a_stuck_entry_can_be_taken_when_its_time_is_over() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(10, nanos::get);
        assertThat(tracker.tryAcquire("a")).isTrue();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10) - 1);
        assertThat(tracker.tryAcquire("a")).isFalse();
        nanos.incrementAndGet();

        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @Test
    void taking_a_stuck_entry_starts_its_time_anew() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(10, nanos::get);
        assertThat(tracker.tryAcquire("a")).isTrue();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));

        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void a_time_of_zero_or_less_means_no_limit(long ttlMs) {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(ttlMs, nanos::get);
        assertThat(tracker.tryAcquire("a")).isTrue();
        nanos.addAndGet(TimeUnit.DAYS.toNanos(10_000));

        assertThat(tracker.tryAcquire("a")).isFalse();
    }

    @Test
    void the_longest_time_does_not_overflow() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(Long.MAX_VALUE, nanos::get);
        assertThat(tracker.tryAcquire("a")).isTrue();
        nanos.addAndGet(TimeUnit.DAYS.toNanos(10_000));

        assertThat(tracker.tryAcquire("a")).isFalse();
    }

    @Test
    void the_real_clock_is_used_by_default() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(3_600_000);

        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
    }

    @Test
    void of_many_threads_exactly_one_takes_an_event() throws Exception {
        assertThat(winnersPerRound(new DefaultInFlightTracker())).containsOnly(1);
    }

    @Test
    void of_many_threads_exactly_one_takes_a_stuck_event() throws Exception {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker(10, nanos::get);
        for (int round = 0; round < 200; round++) {
            assertThat(tracker.tryAcquire("event-" + round)).isTrue();
        }
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));

        assertThat(winnersPerRound(tracker)).containsOnly(1);
    }

    private static List<Integer> winnersPerRound(DefaultInFlightTracker tracker) throws Exception {
        int threads = 4;
        int rounds = 200;
        CyclicBarrier start = new CyclicBarrier(threads);
        List<AtomicInteger> winners = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            winners.add(new AtomicInteger());
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        Await.met(start);
                        if (tracker.tryAcquire("event-" + round)) {
                            winners.get(round).incrementAndGet();
                        }
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get(30, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        return winners.stream().map(AtomicInteger::get).toList();
    }
}
