package outbox.domain;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxException;
import outbox.config.OutboxSwitches;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.dispatch.UnroutableEventException;
import outbox.model.OutboxEvent;
import outbox.spi.MetricsExporter;
import outbox.testing.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class OutboxRelayServiceTest {

    private final List<String> published = new ArrayList<>();
    private OutboxDatabase h2;

    @BeforeEach
    void createDatabase() throws SQLException {
        h2 = OutboxDatabase.h2();
    }

    @AfterEach
    void dropDatabase() {
        h2.close();
    }

    private void write(int events) throws SQLException {
        Order order = new Order();
        for (int i = 1; i <= events; i++) {
            order.raise(new Order.Paid("e" + i, Order.AT, i));
        }
        try (var tx = h2.transactions.begin()) {
            new DomainEventOutboxService(h2.writer, new PlainText())
                    .recordPulledDomainEvents(order, DomainEventContext.of("Order", "42"));
            tx.commit();
        }
    }

    private List<String> due(Instant when) throws SQLException {
        try (var conn = h2.dataSource.getConnection()) {
            return h2.store.pollPending(conn, when, Duration.ZERO, 10).stream()
                    .map(OutboxEvent::eventId)
                    .toList();
        }
    }

    private OutboxRelayService.Builder relay(OutboxTransport transport) {
        return OutboxRelayService.builder()
                .connectionProvider(h2.connections)
                .outboxStore(h2.store)
                .retryPolicy(attempts -> 0)
                .transport(transport);
    }

    @Test
    void a_failure_harms_its_own_event_only_and_is_retried_without_anybody_asking() throws SQLException {
        write(2);
        List<Throwable> failures = new ArrayList<>(List.of(new IllegalStateException("down"), new AssertionError("x")));
        try (OutboxRelayService relay = relay(event -> {
                    if (event.eventId().equals("e1") && !failures.isEmpty()) {
                        Throwable failure = failures.remove(0);
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (Exception) failure;
                    }
                    published.add(event.eventId());
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
            assertThat(h2.column("SELECT last_error FROM outbox_event WHERE event_id = 'e1'"))
                    .containsExactly("java.lang.IllegalStateException: down");
            assertThat(relay.relayOnce(10)).isZero();
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        }

        assertThat(published).containsExactly("e2", "e1");
    }

    @Test
    void what_the_outbox_says_to_itself_is_not_published_and_waits() throws SQLException {
        write(3);
        try (Connection conn = h2.connections.getConnection()) {
            OutboxDatabase.execute(
                    conn,
                    "UPDATE outbox_event SET event_type = 'outbox.EventDied', aggregate_type = '__GLOBAL__' WHERE event_id <> 'e3'");
        }
        try (OutboxRelayService relay =
                relay(event -> published.add(event.eventId())).build()) {
            relay.relayOnce(2);
            relay.relayOnce(2);
            relay.relayOnce(2);
        }

        assertThat(published).containsExactly("e3");
        assertThat(h2.column(
                        "SELECT status FROM outbox_event WHERE event_type = 'outbox.EventDied' AND locked_by IS NULL"))
                .containsExactly("0", "0");
    }

    @Test
    void the_error_of_an_earlier_failure_is_cleared_when_the_event_is_published_if_asked() throws SQLException {
        write(1);
        List<Throwable> failures = new ArrayList<>(List.of(new IllegalStateException("down")));
        try (OutboxRelayService relay = relay(event -> {
                    if (!failures.isEmpty()) {
                        throw (RuntimeException) failures.remove(0);
                    }
                })
                .clearErrorWhenDone()
                .build()) {
            assertThat(relay.relayOnce(10)).isZero();
            assertThat(h2.column("SELECT last_error FROM outbox_event"))
                    .containsExactly("java.lang.IllegalStateException: down");
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        }

        assertThat(h2.column("SELECT status FROM outbox_event WHERE last_error IS NULL"))
                .containsExactly("1");
    }

    @Test
    void what_is_found_published_failed_and_dead_is_counted() throws SQLException {
        write(3);
        List<String> counted = new ArrayList<>();
        try (OutboxRelayService relay = relay(event -> {
                    if (!event.eventId().equals("e2")) {
                        throw new IllegalStateException(event.eventId());
                    }
                })
                .maxAttempts(2)
                .metrics(new CountingMetrics(counted))
                .build()) {
            relay.relayOnce(10);
            assertThat(counted)
                    .containsExactlyInAnyOrder(
                            "lag", "cold", "cold", "cold", "success", "SUCCESS", "failure", "FAILURE", "failure",
                            "FAILURE");
            counted.clear();
            relay.relayOnce(10);
        }

        assertThat(counted)
                .containsExactlyInAnyOrder("lag", "cold", "cold", "dead", "died", "FAILURE", "dead", "died", "FAILURE");
    }

    private static final class CountingMetrics extends MetricsExporter.Noop {

        private final List<String> counted;

        CountingMetrics(List<String> counted) {
            this.counted = counted;
        }

        @Override
        public void recordOldestLagMs(long lagMs) {
            counted.add("lag");
        }

        @Override
        public void incrementColdEnqueued() {
            counted.add("cold");
        }

        @Override
        public void incrementDispatchSuccess() {
            counted.add("success");
        }

        @Override
        public void incrementDispatchFailure() {
            counted.add("failure");
        }

        @Override
        public void incrementDispatchDead() {
            counted.add("dead");
        }

        @Override
        public void eventDead(String eventType) {
            counted.add("died");
        }

        @Override
        public void eventDispatched(String eventType, Result result, Duration time) {
            counted.add(result.name());
        }
    }

    @Test
    void what_cannot_be_published_while_its_lease_lasts_is_given_back() throws SQLException {
        write(3);
        AtomicLong time = new AtomicLong();
        try (OutboxRelayService slow = relay(event -> {
                            published.add("slow " + event.eventId());
                            time.addAndGet(Duration.ofSeconds(15).toNanos());
                        })
                        .lease(Duration.ofSeconds(30))
                        .nanoTime(time::get)
                        .build();
                OutboxRelayService other = relay(event -> published.add("other " + event.eventId()))
                        .build()) {
            assertThat(slow.relayOnce(10)).isEqualTo(1);
            assertThat(other.relayOnce(10)).isEqualTo(2);
        }

        assertThat(published).containsExactly("slow e1", "other e2", "other e3");
    }

    @Test
    void a_policy_that_fails_costs_the_event_a_long_delay_and_the_batch_nothing() throws SQLException {
        write(2);
        try (OutboxRelayService relay = relay(event -> {
                    if (event.eventId().equals("e1")) {
                        throw new IllegalStateException("down");
                    }
                    published.add(event.eventId());
                })
                .retryPolicy(attempts -> {
                    throw new IllegalArgumentException("bad policy");
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
            assertThat(relay.relayOnce(10)).isZero();
        }

        assertThat(published).containsExactly("e2");
        assertThat(h2.column("SELECT last_error FROM outbox_event WHERE event_id = 'e1' AND locked_by IS NULL"))
                .containsExactly("java.lang.IllegalStateException: down");
        Instant now = Instant.now();
        assertThat(due(now)).isEmpty();
        assertThat(due(now.plusMillis(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS)))
                .containsExactly("e1");
    }

    @Test
    void an_interrupt_ends_the_batch_after_the_event_that_it_met_and_gives_back_the_rest() throws SQLException {
        write(3);
        try (OutboxRelayService relay = relay(event -> {
                    published.add(event.eventId());
                    Thread.currentThread().interrupt();
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(published).containsExactly("e1");
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NULL AND locked_by IS NULL"))
                .containsExactlyInAnyOrder("e2", "e3");
    }

    @Test
    void a_suspect_is_written_down_before_it_is_published_and_recorded_before_the_next_one() throws SQLException {
        write(2);
        leaseToAnOwnerThatIsGone("attempts = 4");
        try (OutboxRelayService relay = relay(event -> {
                    published.add(event.eventId() + " "
                            + h2.column("SELECT event_id FROM outbox_event WHERE attempts = 5 AND last_error LIKE"
                                    + " '(suspect 01) Delivery begun%' AND done_at IS NULL"));
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(2);
        }

        assertThat(published).containsExactly("e1 [e1]", "e2 [e2]");
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NULL"))
                .isEmpty();
    }

    @Test
    void a_suspect_that_ended_its_process_waits_and_ends_with_its_budget_of_crashes() throws SQLException {
        write(2);
        leaseToAnOwnerThatIsGone("last_error = '(suspect 01) Delivery begun'");
        try (var conn = h2.dataSource.getConnection()) {
            OutboxDatabase.execute(
                    conn, "UPDATE outbox_event SET last_error = '(suspect 03) Delivery begun' WHERE event_id = 'e2'");
        }
        try (OutboxRelayService relay = relay(event -> published.add(event.eventId()))
                .retryPolicy(attempts -> 3_600_000)
                .build()) {
            assertThat(relay.relayOnce(10)).isZero();
        }

        assertThat(published).isEmpty();
        assertThat(h2.column(
                        "SELECT event_id FROM outbox_event WHERE status = 2 AND last_error LIKE '(suspect 01) Waits%'"))
                .containsExactly("e1");
        assertThat(h2.column(
                        "SELECT event_id FROM outbox_event WHERE status = 3 AND last_error LIKE 'Its process ended%'"))
                .containsExactly("e2");
        assertThat(due(Instant.now())).isEmpty();
    }

    private void leaseToAnOwnerThatIsGone(String more) throws SQLException {
        try (var conn = h2.dataSource.getConnection()) {
            OutboxDatabase.execute(
                    conn,
                    "UPDATE outbox_event SET locked_by = 'gone', locked_at = TIMESTAMP '2020-01-01 00:00:00', " + more);
        }
    }

    @Test
    void an_unroutable_event_is_dead_at_once() throws SQLException {
        write(1);
        try (OutboxRelayService relay = relay(event -> {
                    throw new UnroutableEventException("no topic");
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isZero();
        }

        assertThat(h2.countDead()).isEqualTo(1);
    }

    @Test
    void an_outcome_that_comes_after_the_lease_has_changed_hands_is_dropped() throws SQLException {
        write(1);
        try (OutboxRelayService relay = relay(event -> {
                    try (var conn = h2.dataSource.getConnection()) {
                        OutboxDatabase.execute(conn, "UPDATE outbox_event SET locked_by = 'another'");
                    }
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        }

        assertThat(h2.column("SELECT locked_by FROM outbox_event WHERE done_at IS NULL"))
                .containsExactly("another");
    }

    @Test
    void the_outcomes_of_a_batch_are_recorded_together_at_its_end_in_the_calling_thread() throws SQLException {
        write(3);
        List<String> doneMeanwhile = new ArrayList<>();
        List<String> connections = new ArrayList<>();
        try (OutboxRelayService relay = relay(event -> {
                    doneMeanwhile.addAll(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NOT NULL"));
                    connections.clear();
                })
                .connectionProvider(() -> {
                    connections.add(Thread.currentThread().getName());
                    return h2.dataSource.getConnection();
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(3);
        }

        assertThat(doneMeanwhile).isEmpty();
        assertThat(connections).containsExactly(Thread.currentThread().getName());
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NOT NULL"))
                .hasSize(3);
    }

    @Test
    void a_database_that_is_away_for_a_moment_makes_the_outcomes_wait() throws SQLException {
        write(2);
        AtomicBoolean away = new AtomicBoolean();
        try (OutboxRelayService relay = relay(event -> {
                    published.add(event.eventId());
                    away.set(true);
                })
                .connectionProvider(() -> {
                    if (away.getAndSet(false)) {
                        throw new SQLException("no connection", "08001");
                    }
                    return h2.dataSource.getConnection();
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(2);
        }

        assertThat(published).containsExactly("e1", "e2");
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NULL"))
                .isEmpty();
    }

    @Test
    void outcomes_are_given_up_when_the_leases_have_expired_and_the_events_come_again() throws SQLException {
        write(2);
        AtomicLong time = new AtomicLong();
        AtomicBoolean away = new AtomicBoolean();
        try (OutboxRelayService relay = relay(event -> {
                    published.add(event.eventId());
                    away.set(true);
                })
                .lease(Duration.ofSeconds(30))
                .nanoTime(time::get)
                .connectionProvider(() -> {
                    if (away.get()) {
                        time.addAndGet(Duration.ofSeconds(10).toNanos());
                        throw new SQLException("no connection", "08001");
                    }
                    return h2.dataSource.getConnection();
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(2);
        }

        assertThat(time).hasValueLessThan(Duration.ofSeconds(60).toNanos());
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE done_at IS NULL AND locked_by IS NOT NULL"))
                .containsExactlyInAnyOrder("e1", "e2");
    }

    @Test
    void published_events_can_be_deleted_instead_of_marked() throws SQLException {
        write(2);
        try (OutboxRelayService relay = relay(event -> published.add(event.eventId()))
                .completionMode(CompletionMode.DELETE)
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(2);
        }

        assertThat(h2.column("SELECT event_id FROM outbox_event")).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {})
                        .outboxStore(new StoreWithoutLeases(h2.store))
                        .completionMode(CompletionMode.DELETE)
                        .build())
                .withMessageContaining("completionMode DELETE needs a store that can delete");
    }

    @Test
    void a_relay_that_is_switched_off_leaves_everything_in_the_table_until_it_is_switched_on() throws SQLException {
        write(2);
        try (OutboxRelayService off = relay(event -> published.add(event.eventId()))
                .switches(OutboxSwitches.from(Map.of("OUTBOX_RELAY_ENABLED", "false")))
                .build()) {
            off.start();
            assertThat(off.relayOnce(10)).isZero();
        }
        try (OutboxRelayService on = relay(event -> published.add(event.eventId()))
                .switches(OutboxSwitches.from(Map.of()))
                .build()) {
            assertThat(on.relayOnce(10)).isEqualTo(2);
        }

        assertThat(published).containsExactly("e1", "e2");
    }

    @Test
    void a_store_without_leases_is_relayed_by_the_clock_of_the_process() throws SQLException {
        write(3);
        ManualClock clock = ManualClock.at(Order.AT);
        List<String> failing = new ArrayList<>(List.of("e2", "e3", "e3"));
        try (OutboxRelayService relay = relay(event -> {
                    if (failing.remove(event.eventId())) {
                        throw new IllegalStateException("down");
                    }
                    published.add(event.eventId());
                })
                .outboxStore(new StoreWithoutLeases(h2.store))
                .retryPolicy(attempts -> 1_000)
                .maxAttempts(2)
                .clock(clock)
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
            assertThat(relay.relayOnce(10)).isZero();
            clock.advance(Duration.ofSeconds(1));
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        }

        assertThat(published).containsExactly("e1", "e2");
        assertThat(h2.countDead()).isEqualTo(1);
    }

    @Test
    void a_closed_relay_does_nothing_and_cannot_be_started() throws SQLException {
        write(1);
        OutboxRelayService relay =
                relay(event -> published.add(event.eventId())).build();
        relay.close();
        relay.close();

        assertThat(relay.relayOnce(10)).isZero();
        assertThat(published).isEmpty();
        assertThatIllegalStateException().isThrownBy(relay::start).withMessageContaining("has been closed");
    }

    @Test
    void a_table_that_lacks_something_is_refused_at_the_start() throws SQLException {
        try (var conn = h2.dataSource.getConnection()) {
            OutboxDatabase.execute(conn, "ALTER TABLE outbox_event DROP COLUMN last_error");
        }
        try (OutboxRelayService relay = relay(event -> {}).build()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(relay::start)
                    .withMessageContaining("last_error");
        }
    }

    @Test
    void once_started_it_relays_batch_after_batch() throws Exception {
        write(5);
        CountDownLatch arrived = new CountDownLatch(5);
        try (OutboxRelayService relay = relay(event -> arrived.countDown())
                .batchSize(2)
                .interval(Duration.ofHours(1))
                .build()) {
            relay.start();
            relay.start();
            assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void nonsense_is_refused_with_the_name_of_the_setting() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).build().relayOnce(0))
                .withMessage("batchSize must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).lease(Duration.ZERO))
                .withMessage("lease must be positive, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).maxAttempts(0))
                .withMessage("maxAttempts must be >= 1, was 0");
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxRelayService.builder().build())
                .withMessage("connectionProvider is required");
    }
}
