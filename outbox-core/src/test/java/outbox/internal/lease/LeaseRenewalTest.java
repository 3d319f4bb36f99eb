package outbox.internal.lease;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.spi.ConnectionProvider;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.internal.lease.TestLeases.insert;

/** Leases that last longer than their time. */
class LeaseRenewalTest {

    private static final Duration QUARTER = TIMEOUT.dividedBy(4);
    private static final Duration MOMENT = Duration.ofNanos(1);

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final ManualNanos nanos = new ManualNanos();
    private final StubConnections connections = StubConnections.transactional();
    private Runnable beforeConnection = () -> {};
    private final ConnectionProvider provider = () -> {
        beforeConnection.run();
        return connections.getConnection();
    };
    private final LeaseBook leases = TestLeases.on(nanos);
    private final LeaseKeeper keeper = TestLeases.keeper(leases, store.leases(), provider);

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void what_is_held_for_a_quarter_of_the_time_is_renewed_in_a_transaction_of_its_own() {
        write("old");
        nanos.advance(MOMENT);
        write("young");
        nanos.advance(QUARTER.minus(MOMENT));
        keeper.renew();

        assertThat(store.leaseCalls()).last().isEqualTo("lease.renew node-1 [old]");
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void what_was_renewed_is_ours_for_another_time_and_not_renewed_again_at_once() {
        write("a");
        nanos.advance(QUARTER);
        keeper.renew();
        keeper.renew();
        nanos.advance(TIMEOUT.minus(MOMENT));
        assertThat(leases.start("a")).isTrue();
        nanos.advance(MOMENT);

        assertThat(leases.start("a")).isFalse();
        assertThat(renewals()).hasSize(1);
    }

    @Test
    void the_new_time_counts_from_before_the_renewal_was_sent() {
        write("a");
        nanos.advance(QUARTER);
        beforeConnection = () -> nanos.advance(TIMEOUT.minus(MOMENT));
        keeper.renew();
        assertThat(leases.start("a")).isTrue();
        nanos.advance(MOMENT);

        assertThat(leases.start("a")).isFalse();
    }

    @Test
    void what_is_not_committed_cannot_be_renewed() {
        insert(leases, store.leases(), "a");
        nanos.advance(TIMEOUT);
        keeper.renew();

        assertThat(renewals()).isEmpty();
    }

    @Test
    void what_is_not_ours_any_more_is_lost_and_not_asked_for_again() {
        write("a");
        write("b");
        nanos.advance(QUARTER);
        store.takeOver("a", "node-2");
        keeper.renew();
        nanos.advance(QUARTER);
        keeper.renew();

        assertThat(leases.start("a")).isFalse();
        assertThat(leases.start("b")).isTrue();
        assertThat(renewals()).containsExactly("lease.renew node-1 [a, b]", "lease.renew node-1 [b]");
        assertThat(log.at(Level.FINE)).containsExactly("The lease of event a is not ours any more");
    }

    @Test
    void what_was_left_out_because_its_row_is_locked_is_ours_as_long_as_before_and_tried_again() {
        write("a");
        write("b");
        nanos.advance(QUARTER);
        store.lockRow("a");
        keeper.renew();
        nanos.advance(QUARTER.multipliedBy(3).minus(MOMENT));
        assertThat(leases.start("a")).isTrue();
        nanos.advance(MOMENT);
        assertThat(leases.start("a")).isFalse();
        assertThat(leases.start("b")).isTrue();
        store.unlockRow("a");
        keeper.renew();

        assertThat(leases.start("a")).isTrue();
        assertThat(renewals()).containsExactly("lease.renew node-1 [a, b]", "lease.renew node-1 [a, b]");
    }

    @Test
    void a_renewal_that_fails_changes_nothing_and_is_tried_again() {
        write("a");
        nanos.advance(QUARTER);
        store.failNext(1);
        keeper.renew();
        assertThat(leases.start("a")).isTrue();
        connections.failToOpen(1);
        keeper.renew();
        nanos.advance(QUARTER.multipliedBy(3).minus(MOMENT));
        assertThat(leases.start("a")).isTrue();
        keeper.renew();
        nanos.advance(MOMENT);

        assertThat(leases.start("a")).isTrue();
        assertThat(renewals()).hasSize(2);
        assertThat(log.at(Level.WARNING)).hasSize(2).containsOnly("Cannot renew 1 lease(s), trying again soon");
    }

    @Test
    void a_lease_runs_out_while_renewals_fail() {
        write("a");
        nanos.advance(QUARTER);
        store.failNext(1);
        keeper.renew();
        nanos.advance(QUARTER.multipliedBy(3));

        assertThat(leases.start("a")).isFalse();
    }

    @Test
    void no_more_than_500_are_renewed_at_once_and_a_group_that_fails_holds_up_no_other() {
        IntStream.range(0, 1001).forEach(i -> write("e" + i));
        nanos.advance(QUARTER);
        store.failNext(1);
        keeper.renew();
        assertThat(renewals()).extracting(LeaseRenewalTest::ids).containsExactly(500, 500, 1);
        keeper.renew();

        assertThat(renewals()).extracting(LeaseRenewalTest::ids).containsExactly(500, 500, 1, 500);
        assertThat(renewals().get(3)).isEqualTo(renewals().get(0));
    }

    @Test
    void an_event_that_was_claimed_again_meanwhile_is_not_lost_by_the_answer() {
        write("a");
        nanos.advance(QUARTER);
        store.takeOver("a", "node-2");
        beforeConnection = () -> leases.claimedAgain("a", nanos.getAsLong());
        keeper.renew();

        assertThat(renewals()).hasSize(1);
        assertThat(leases.start("a")).isTrue();
    }

    @Test
    void an_event_that_ended_meanwhile_does_not_come_back_by_the_answer() {
        write("a");
        nanos.advance(QUARTER);
        beforeConnection = () -> leases.forget("a");
        keeper.renew();

        assertThat(renewals()).hasSize(1);
        assertThat(leases.isHeld("a")).isFalse();
    }

    private void write(String id) {
        insert(leases, store.leases(), id);
        assertThat(leases.committed(id)).isTrue();
    }

    private List<String> renewals() {
        return store.leaseCalls().stream()
                .filter(call -> call.startsWith("lease.renew"))
                .toList();
    }

    private static int ids(String call) {
        return call.split(", ", -1).length;
    }
}
