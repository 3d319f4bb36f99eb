package outbox.inbox;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The purge and the retry runner without a database. */
class SchedulesTest {

    /** Records of a table without a name, whose every use does the same. */
    private static ConsumeRecordStore records(Supplier<Object> use) {
        return (ConsumeRecordStore) Proxy.newProxyInstance(
                SchedulesTest.class.getClassLoader(),
                new Class<?>[] {ConsumeRecordStore.class},
                (proxy, method, args) -> method.getName().equals("tableName") ? null : use.get());
    }

    @Test
    void records_must_be_kept_longer_than_events_can_be_replayed() {
        ConsumeRecordPurgeScheduler.Builder purge =
                ConsumeRecordPurgeScheduler.builder().records(records(() -> 0)).retention(Duration.ofDays(7));

        assertThatThrownBy(purge::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "retention must be longer than replayWindow, was PT168H with replayWindow PT168H");
        purge.replayWindow(Duration.ofDays(6)).build().close();
    }

    @Test
    void required_parts_and_bounds_are_named() {
        assertThatThrownBy(() -> ConsumeRecordPurgeScheduler.builder().build()).hasMessage("records is required");
        assertThatThrownBy(() -> ConsumeRecordPurgeScheduler.builder().batchSize(0))
                .hasMessage("batchSize must be >= 1, was 0");
        assertThatThrownBy(() -> ConsumeRecordPurgeScheduler.builder().interval(Duration.ZERO))
                .hasMessage("interval must be positive, was PT0S");
        assertThatThrownBy(() -> ConsumeRetryRunner.builder().build())
                .hasMessage("a handler is required: call handler(…) or handlersOf(bus)");
        assertThatThrownBy(() -> ConsumeRetryRunner.builder()
                        .handler("g", "T", event -> {})
                        .build())
                .hasMessage("records is required");
        assertThatThrownBy(() -> ConsumeRetryRunner.builder().interval(Duration.ZERO))
                .hasMessage("interval must be positive, was PT0S");
    }

    @Test
    void a_purge_goes_on_until_a_batch_is_not_full_and_survives_a_failure() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch secondRun = new CountDownLatch(4);
        try (ConsumeRecordPurgeScheduler purge = ConsumeRecordPurgeScheduler.builder()
                .interval(Duration.ofMillis(1))
                .batchSize(10)
                .records(records(() -> {
                    secondRun.countDown();
                    return switch (calls.incrementAndGet()) {
                        case 1 -> 10;
                        case 2 -> 3;
                        case 3 -> throw new IllegalStateException("database away");
                        default -> 0;
                    };
                }))
                .build()) {
            purge.start();
            assertThat(secondRun.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_runner_survives_a_database_that_is_away_and_a_closed_one_does_nothing() {
        AtomicInteger looks = new AtomicInteger();
        ConsumeRetryRunner runner = ConsumeRetryRunner.builder()
                .records(records(() -> {
                    looks.incrementAndGet();
                    throw new IllegalStateException("database away");
                }))
                .template((EventHandlerTemplate) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {EventHandlerTemplate.class},
                        (proxy, method, args) -> null))
                .handler("g", "T", event -> {})
                .build();
        runner.runOnce();
        assertThat(looks.get()).isEqualTo(1);
        runner.close();
        runner.close();
        runner.runOnce();
        assertThat(looks.get()).isEqualTo(1);
        assertThatThrownBy(runner::start).isInstanceOf(IllegalStateException.class);
    }
}
