package outbox.dispatch;

import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.internal.lease.LeaseKeeper;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Marks;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.text.RowWords;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore.Suspicion;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualNanos;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** A worker delivers only what is certainly ours, and what was taken over meanwhile is not counted as delivered. */
@Timeout(20)
class DispatchWorkerLeaseTest extends DispatchWorkerFixture {

    private final LeasingStore table = new LeasingStore(clock);
    private final ManualNanos nanos = new ManualNanos();

    @BeforeEach
    void hold() {
        leases = TestLeases.on(nanos);
        table.leases().insertLeased(null, List.of(event("a"), event("b")), NODE);
    }

    @Override
    LeaseWork leaseWork() {
        LeaseKeeper keeper = TestLeases.keeper(leases, table.leases(), connections);
        return new LeaseWork() {

            @Override
            public void releaseGivenBack() {
                keeper.releaseGivenBack();
            }

            @Override
            public boolean writeDown(String eventId, int attempts) {
                return keeper.writeDown(eventId, attempts);
            }

            @Override
            public void renewSoon() {}
        };
    }

    @Override
    Marks marks() {
        return new StoreMarks(table, leases::ownerId, false, CompletionWriter.TIME_LIMIT);
    }

    @Test
    void what_is_ours_is_delivered_and_done() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).containsExactly("a");
        assertThat(table.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
        assertThat(leases.isHeld("a")).isFalse();
    }

    @Test
    void an_event_whose_lease_ran_out_while_it_waited_is_not_delivered_but_given_back() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        nanos.advance(TIMEOUT);
        leases.claimed("b", null, nanos.getAsLong(), true);
        run(event -> delivered.add(event.eventId()), hot("a"), hot("b"));
        TestLeases.release(leases, table.leases());

        assertThat(delivered).containsExactly("b");
        assertThat(table.leaseCalls())
                .containsExactly("lease.insert node-1 [a, b]", "lease.markDone node-1 [b]", "lease.release node-1 [a]");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(log.at(Level.WARNING))
                .hasSize(1)
                .first()
                .asString()
                .contains("The lease of", "a", "expired while it waited");
    }

    @Test
    void an_event_that_was_lost_while_it_waited_is_not_delivered() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        table.takeOver("a", "node-2");
        nanos.advance(TIMEOUT.dividedBy(2));
        TestLeases.renew(leases, table.leases());
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
    }

    @Test
    void an_event_that_is_taken_over_while_it_runs_is_neither_done_nor_counted_as_success() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        run(event -> table.takeOver("a", "node-2"), hot("a"));

        assertThat(table.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
        assertThat(metrics.success).hasValue(0);
        assertThat(metrics.tooLate).hasValue(1);
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void a_leased_event_is_delivered_whatever_its_attempts() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        run(event -> delivered.add(event.eventId()), hot("a", maxAttempts + 1));

        assertThat(delivered).containsExactly("a");
        assertThat(table.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void a_suspect_is_written_down_before_it_is_delivered_and_cleared_by_its_outcome() {
        maxAttempts = 10;
        suspect("a", new Suspicion(0, false));
        run(
                event -> {
                    delivered.add(event.eventId() + "@" + table.attempts("a") + " " + table.error("a"));
                    throw new IllegalStateException("down");
                },
                hot("a", 4));

        assertThat(delivered).containsExactly("a@5 (suspect 01) Delivery begun after its lease had expired");
        assertThat(table.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(table.attempts("a")).isEqualTo(5);
        assertThat(table.error("a")).isEqualTo("java.lang.IllegalStateException: down");
    }

    @Test
    void a_suspect_that_ended_its_process_waits_before_it_is_delivered_again() {
        suspect("a", new Suspicion(2, false));
        run(event -> delivered.add(event.eventId()), hot("a", 4));

        assertThat(delivered).isEmpty();
        assertThat(table.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(table.availableAt("a")).isEqualTo(clock.instant().plusSeconds(1));
        assertThat(table.error("a")).startsWith("(suspect 02) ");
        assertThat(metrics.failure).hasValue(0);
    }

    @Test
    void a_suspect_that_used_up_its_budget_of_crashes_is_dead_without_another_delivery() {
        suspect("a", new Suspicion(3, false));
        run(event -> delivered.add(event.eventId()), hot("a", 4));

        assertThat(delivered).isEmpty();
        assertThat(table.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(table.error("a")).startsWith("Its process ended during each of 3 deliveries in a row");
        assertThat(metrics.dead).hasValue(1);
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().contains("is DEAD after 4 failed attempt(s)");
    }

    @Test
    void one_that_ended_its_process_is_not_delivered_beside_another_suspect() {
        suspect("a", new Suspicion(0, false));
        suspect("b", new Suspicion(1, true));
        run(event -> delivered.add(event.eventId()), hot("a"), hot("b", 1));

        // The outcome of a is recorded only after both were taken up.
        assertThat(delivered).containsExactly("a");
        assertThat(trigger.requests).isNotEmpty();
        TestLeases.release(leases, table.leases());
        assertThat(table.lockedBy("b")).isNull();
        assertThat(table.attempts("b")).isZero();
        assertThat(leases.isHeld("b")).isFalse();
        // Put off, so that claims go on with what is due later; and known as one that has waited.
        assertThat(table.leaseCalls()).last().isEqualTo("lease.postpone node-1 [b]");
        assertThat(table.availableAt("b")).isEqualTo(clock.instant().plusMillis(100));
        assertThat(RowWords.suspicion(table.error("b"))).isEqualTo(new Suspicion(1, true));
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @Test
    void what_was_written_down_and_then_cut_short_by_a_stop_is_taken_back() {
        suspect("a", new Suspicion(1, true));
        run(
                event -> {
                    forcedStop.countDown();
                    throw new InterruptedException();
                },
                hot("a", 1));
        TestLeases.release(leases, table.leases());

        assertThat(table.leaseCalls()).last().isEqualTo("lease.takeBack node-1 a");
        assertThat(table.attempts("a")).isEqualTo(1);
        assertThat(table.error("a")).startsWith("(suspect 01) Given back");
    }

    @Test
    void a_suspect_that_cannot_be_written_down_is_not_delivered() {
        suspect("a", new Suspicion(0, false));
        table.takeOver("a", "node-2");
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).isEmpty();
        assertThat(table.lockedBy("a")).isEqualTo("node-2");
        assertThat(tracker.isFree("a")).isTrue();
    }

    private void suspect(String id, Suspicion suspicion) {
        pollRequests().add(trigger);
        leases.claimed(id, suspicion, nanos.getAsLong(), true);
    }

    @Test
    void an_event_that_is_not_leased_is_delivered_whatever_its_attempts() {
        run(event -> delivered.add(event.eventId()), hot("not-leased", maxAttempts + 1));

        assertThat(delivered).containsExactly("not-leased");
        assertThat(table.groups()).containsExactly("markDoneAll [not-leased]");
    }

    @Test
    void an_event_that_was_interrupted_by_a_forced_stop_is_given_back() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        run(
                event -> {
                    forcedStop.countDown();
                    throw new InterruptedException();
                },
                hot("a"));
        TestLeases.release(leases, table.leases());

        assertThat(table.leaseCalls()).last().isEqualTo("lease.release node-1 [a]");
        assertThat(table.attempts("a")).isZero();
    }
}
