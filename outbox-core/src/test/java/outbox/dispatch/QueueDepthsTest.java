package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dispatch.EventQueues.Before;
import outbox.internal.lease.TestLeases;
import outbox.testsupport.Await;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.SignallingTracker;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

@Timeout(30)
class QueueDepthsTest {

    @Test
    void every_change_is_reported() {
        RecordingMetrics metrics = new RecordingMetrics();
        EventQueues queues = queues(metrics);
        queues.offer(hot("h1"), Before.NOTHING);
        queues.offer(cold("c1"), Before.NOTHING);
        queues.offer(cold("c2"), Before.NOTHING);

        assertThat(metrics.depths).containsExactly(new Depths(1, 0), new Depths(1, 1), new Depths(1, 2));
    }

    @Test
    void a_change_during_a_slow_report_is_reported_after_it_by_the_same_thread() throws Exception {
        CountDownLatch reporting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RecordingMetrics slow = new RecordingMetrics() {
            @Override
            public void recordQueueDepths(int hotDepth, int coldDepth) {
                super.recordQueueDepths(hotDepth, coldDepth);
                reporting.countDown();
                Await.opened(goOn);
            }
        };
        EventQueues queues = queues(slow);
        Thread first = new Thread(() -> queues.offer(hot("h1"), Before.NOTHING));
        first.start();
        Await.opened(reporting);
        queues.drainTo(event -> {}); // returns at once, although the report is stuck
        queues.drainTo(event -> {});
        goOn.countDown();
        first.join(10_000);

        assertThat(slow.depths).containsExactly(new Depths(1, 0), new Depths(0, 0));
    }

    @Test
    void after_concurrent_traffic_the_last_report_is_the_last_state() throws Exception {
        RecordingMetrics metrics = new RecordingMetrics();
        EventQueues queues = queues(metrics);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String prefix = i + "-";
                all.add(pool.submit(() -> {
                    for (int n = 0; n < 500; n++) {
                        queues.offer(hot(prefix + n), Before.NOTHING);
                        queues.take();
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(20, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
    }

    private static EventQueues queues(RecordingMetrics metrics) {
        ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
        return Flows.without(new SignallingTracker(), TestLeases.off(), metrics, clock)
                .parts()
                .queues();
    }
}
