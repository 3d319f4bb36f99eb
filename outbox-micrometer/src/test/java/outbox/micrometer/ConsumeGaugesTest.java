package outbox.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.ConsumeFailures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class ConsumeGaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile ConsumeFailures found = new ConsumeFailures(0, 0, 0);
    private volatile RuntimeException failure;
    private volatile int limit;

    @Test
    void gauges_show_what_the_last_look_found_and_reading_them_does_not_look() {
        try (ConsumeGauges gauges = settings().limit(100).build()) {
            assertThat(value("failed.count")).isNaN();
            found = new ConsumeFailures(12, 5, 21);
            gauges.look();
            for (int scrape = 0; scrape < 10; scrape++) {
                assertThat(value("failed.count")).isEqualTo(12);
                assertThat(value("exhausted.count")).isEqualTo(5);
                assertThat(value("retries.max")).isEqualTo(21);
                assertThat(value("failed.at.least")).isZero();
            }
            assertThat(looks).hasValue(1);
            assertThat(limit).isEqualTo(101);

            found = new ConsumeFailures(101, 101, 3);
            gauges.look();
            assertThat(value("failed.count")).isEqualTo(100);
            assertThat(value("exhausted.count")).isEqualTo(100);
            assertThat(value("failed.at.least")).isEqualTo(1);
        }
    }

    @Test
    void what_is_not_known_any_more_is_not_shown() {
        try (ConsumeGauges gauges = settings().build()) {
            gauges.look();
            assertThat(value("exhausted.count")).isZero();
            failure = new IllegalStateException("away");
            gauges.look();
            assertThat(value("exhausted.count")).isNaN();
        }
    }

    @Test
    @Timeout(30)
    void after_the_start_the_table_is_looked_at_again_and_again_until_the_close() throws Exception {
        CountDownLatch three = new CountDownLatch(3);
        ConsumeGauges gauges = settings()
                .interval(Duration.ofMillis(1))
                .failures(most -> {
                    three.countDown();
                    return found;
                })
                .build();
        gauges.start();
        assertThat(three.await(20, TimeUnit.SECONDS)).isTrue();
        gauges.close();

        assertThat(registry.getMeters()).isEmpty();
        assertThatIllegalStateException().isThrownBy(gauges::start).withMessage("ConsumeGauges has been closed");
    }

    @Test
    void gauges_of_a_table_are_there_once_and_nonsense_is_refused() {
        try (ConsumeGauges first = settings().build()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> settings().build())
                    .withMessageContaining("\"outbox.consume.failed.count\" is already in the registry");
            first.look();
            assertThat(value("failed.count")).isZero();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().interval(Duration.ZERO))
                .withMessage("interval must be positive, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().limit(0))
                .withMessage("limit must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().table(" "))
                .withMessage("table must not be blank, was \" \"");
        assertThatNullPointerException()
                .isThrownBy(() -> ConsumeGauges.builder().build())
                .withMessage("failures is required");
    }

    private double value(String name) {
        return registry.get("outbox.consume." + name)
                .tag("table", "event_consume_record")
                .gauge()
                .value();
    }

    private ConsumeGauges.Builder settings() {
        return ConsumeGauges.builder()
                .registry(registry)
                .table("event_consume_record")
                .failures(most -> {
                    looks.incrementAndGet();
                    limit = most;
                    if (failure != null) {
                        throw failure;
                    }
                    return found;
                });
    }
}
