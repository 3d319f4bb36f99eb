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
import outbox.dispatch.QueuedEvent.Source;
import outbox.testsupport.Await;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

@Timeout(30)
class QueueDepthReporterTest {

    private final FairEventQueue queue = new FairEventQueue(100, 100);

    @Test
    void every_change_is_reported() {
        RecordingMetrics metrics = new RecordingMetrics();
        QueueDepthReporter reporter = new QueueDepthReporter(queue::hotDepth, queue::coldDepth, metrics);
        queue.offer(Source.HOT, hot("h1"));
        reporter.changed();
        queue.offer(Source.COLD, cold("c1"));
        queue.offer(Source.COLD, cold("c2"));
        reporter.changed();

        assertThat(metrics.depths).containsExactly(new Depths(1, 0), new Depths(1, 2));
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
        QueueDepthReporter reporter = new QueueDepthReporter(queue::hotDepth, queue::coldDepth, slow);
        queue.offer(Source.HOT, hot("h1"));
        Thread first = new Thread(reporter::changed);
        first.start();
        Await.opened(reporting);
        queue.drain();
        reporter.changed(); // returns at once, although the report is stuck
        reporter.changed();
        goOn.countDown();
        first.join(10_000);

        assertThat(slow.depths).containsExactly(new Depths(1, 0), new Depths(0, 0));
    }

    @Test
    void after_concurrent_traffic_the_last_report_is_the_last_state() throws Exception {
        RecordingMetrics metrics = new RecordingMetrics();
        QueueDepthReporter reporter = new QueueDepthReporter(queue::hotDepth, queue::coldDepth, metrics);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String prefix = i + "-";
                all.add(pool.submit(() -> {
                    for (int n = 0; n < 500; n++) {
                        queue.offer(Source.HOT, hot(prefix + n));
                        reporter.changed();
                        queue.take();
                        reporter.changed();
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
}
