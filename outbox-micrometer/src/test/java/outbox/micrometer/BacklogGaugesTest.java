package outbox.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.OutboxStore.Backlog;
import outbox.spi.OutboxStore.DeadCount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class BacklogGaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StubStore stub = new StubStore();

    @Test
    void gauges_show_what_the_last_look_found_and_reading_them_does_not_look() {
        try (BacklogGauges gauges = settings().limit(500).build()) {
            assertThat(pending()).isNaN();
            stub.backlog = new Backlog(12, 5);
            gauges.look();
            stub.backlog = new Backlog(99, 99);

            for (int scrape = 0; scrape < 10; scrape++) {
                assertThat(pending()).isEqualTo(12);
                assertThat(registry.get("outbox.locked.count")
                                .tag("table", "shop_outbox")
                                .gauge()
                                .value())
                        .isEqualTo(5);
            }
            assertThat(stub.looks).hasValue(1);
            assertThat(stub.limit).as("one more tells whether there are more").isEqualTo(501);
            assertThat(stub.deadLimit).isEqualTo(501);
        }
    }

    @Test
    void a_count_is_exact_or_a_second_series_says_that_there_are_more() {
        try (BacklogGauges gauges = settings().limit(10).build()) {
            stub.backlog = new Backlog(10, 10);
            stub.dead = new DeadCount(10, 2);
            gauges.look();
            assertThat(value("outbox.pending.count")).isEqualTo(10);
            assertThat(value("outbox.pending.at.least")).isZero();
            assertThat(value("outbox.dead.count")).isEqualTo(10);
            assertThat(value("outbox.dead.at.least")).isZero();

            stub.backlog = new Backlog(11, 11);
            stub.dead = new DeadCount(11, 2);
            gauges.look();
            assertThat(value("outbox.pending.count")).isEqualTo(10);
            assertThat(value("outbox.pending.at.least")).isEqualTo(1);
            assertThat(value("outbox.locked.count")).isEqualTo(10);
            assertThat(value("outbox.dead.count")).isEqualTo(10);
            assertThat(value("outbox.dead.at.least")).isEqualTo(1);
        }
    }

    @Test
    void dead_events_and_held_keys_are_shown_as_long_as_they_lie_there() {
        try (BacklogGauges gauges = settings().build()) {
            assertThat(value("outbox.dead.count")).isNaN();
            stub.dead = new DeadCount(12, 3);
            gauges.look();
            gauges.look();
            assertThat(value("outbox.dead.count")).isEqualTo(12);
            assertThat(value("outbox.held.keys")).isEqualTo(3);

            stub.dead = new DeadCount(0, 0);
            gauges.look();
            assertThat(value("outbox.dead.count")).isZero();
            assertThat(value("outbox.held.keys")).isZero();
        }
    }

    @Test
    void a_store_that_cannot_count_dead_events_shows_the_others() {
        stub.countsDead = false;
        stub.backlog = new Backlog(7, 0);
        try (BacklogGauges gauges = settings().build()) {
            gauges.look();

            assertThat(pending()).isEqualTo(7);
            assertThat(value("outbox.dead.count")).isNaN();
            assertThat(value("outbox.held.keys")).isNaN();
        }
    }

    private double value(String name) {
        return registry.get(name).tag("table", "shop_outbox").gauge().value();
    }

    @Test
    void what_is_not_known_any_more_is_not_shown() {
        try (BacklogGauges gauges = settings().build()) {
            gauges.look();
            assertThat(pending()).isZero();
            stub.failure = new IllegalStateException("away");
            gauges.look();
            assertThat(pending()).isNaN();
            stub.failure = null;
            gauges.look();
            assertThat(pending()).isZero();
        }
    }

    @Test
    void a_database_that_is_away_is_not_known() {
        try (BacklogGauges gauges = settings()
                .connectionProvider(() -> {
                    throw new SQLException("away");
                })
                .build()) {
            gauges.look();

            assertThat(pending()).isNaN();
        }
    }

    @Test
    @Timeout(30)
    void after_the_start_the_table_is_looked_at_again_and_again_until_the_close() throws Exception {
        CountDownLatch three = new CountDownLatch(3);
        BacklogGauges gauges = settings()
                .interval(Duration.ofMillis(1))
                .connectionProvider(() -> {
                    three.countDown();
                    return StubStore.connection();
                })
                .build();
        gauges.start();
        gauges.start();
        assertThat(three.await(20, TimeUnit.SECONDS)).isTrue();
        gauges.close();
        gauges.close();

        assertThat(registry.getMeters()).isEmpty();
        assertThatIllegalStateException().isThrownBy(gauges::start).withMessage("BacklogGauges has been closed");
    }

    @Test
    void the_table_can_be_named_and_must_be_if_the_store_does_not() {
        stub.table = null;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().build())
                .withMessageStartingWith("table must be set, because ")
                .withMessageEndingWith(" does not name its table; call table(…)");
        try (BacklogGauges named = settings().table("named").build()) {
            named.look();
            assertThat(registry.get("outbox.pending.count")
                            .tag("table", "named")
                            .gauge()
                            .value())
                    .isZero();
        }
    }

    @Test
    void gauges_of_a_table_are_there_once() {
        try (BacklogGauges first = settings().build()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> settings().build())
                    .withMessageContaining("\"outbox.pending.count\" is already in the registry");
            first.look();
            assertThat(pending()).isZero();
        }
    }

    @Test
    void nonsense_is_refused_by_name_and_value() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().interval(Duration.ZERO))
                .withMessage("interval must be positive, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().limit(0))
                .withMessage("limit must be >= 1, was 0");
        assertThatNullPointerException()
                .isThrownBy(() -> BacklogGauges.builder().build())
                .withMessage("connectionProvider is required");
    }

    private double pending() {
        return registry.get("outbox.pending.count").gauge().value();
    }

    private BacklogGauges.Builder settings() {
        return BacklogGauges.builder()
                .registry(registry)
                .connectionProvider(StubStore::connection)
                .outboxStore(stub.store());
    }
}
