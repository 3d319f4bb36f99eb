package outbox.internal;

import java.time.Duration;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.spi.EventMetrics.Path;
import outbox.spi.EventMetrics.Result;
import outbox.spi.MetricsExporter;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;

import static org.assertj.core.api.Assertions.assertThat;

class GuardedMetricsTest {

    @Test
    void every_number_is_passed_on() {
        RecordingMetrics metrics = new RecordingMetrics();
        reportEverything(GuardedMetrics.of(metrics));

        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.hotDropped).hasValue(1);
        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(metrics.success).hasValue(1);
        assertThat(metrics.failure).hasValue(1);
        assertThat(metrics.dead).hasValue(1);
        assertThat(metrics.tooLate).hasValue(1);
        assertThat(metrics.depths).containsExactly(new Depths(2, 3));
        assertThat(metrics.lags).containsExactly(4L);
        assertThat(metrics.events)
                .containsExactly("WRITTEN T", "SUCCESS T", "DEAD T", "WRITTEN T of t", "SUCCESS T of t", "DEAD T of t");
        assertThat(metrics.waits).containsExactly(Map.entry(Path.HOT, Duration.ofMillis(1)));
        assertThat(metrics.deliveryTimes).containsExactly(Duration.ofMillis(5), Duration.ofMillis(6));
    }

    @Test
    void what_the_exporter_throws_is_logged_and_goes_no_further() {
        try (CapturedLog log = new CapturedLog()) {
            reportEverything(GuardedMetrics.of(new FailingMetrics()));

            assertThat(log.at(Level.WARNING)).hasSize(16).containsOnly("MetricsExporter failed");
        }
    }

    private static void reportEverything(MetricsExporter metrics) {
        metrics.incrementHotEnqueued();
        metrics.incrementHotDropped();
        metrics.incrementColdEnqueued();
        metrics.incrementDispatchSuccess();
        metrics.incrementDispatchFailure();
        metrics.incrementDispatchDead();
        metrics.incrementOutcomeTooLate();
        metrics.recordQueueDepths(2, 3);
        metrics.recordOldestLagMs(4);
        metrics.eventWritten("T");
        metrics.eventDispatched("T", Result.SUCCESS, Duration.ofMillis(5));
        metrics.eventDead("T");
        metrics.eventWritten("T", "t");
        metrics.eventStarted("T", Path.HOT, Duration.ofMillis(1));
        metrics.eventDispatched("T", "t", Result.SUCCESS, Duration.ofMillis(6));
        metrics.eventDead("T", "t");
    }
}
