package outbox.internal.lease;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.internal.outcome.Hold;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.LeaseStore.Suspicion;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.internal.lease.TestLeases.insert;

/** Whose events are, and until when that is certain. */
class LeaseBookTest {

    private static final Duration MOMENT = Duration.ofNanos(1);

    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final ManualNanos nanos = new ManualNanos();
    private final LeaseBook leases = TestLeases.on(nanos);
    private final LeaseKeeper keeper = TestLeases.keeper(leases, store.leases(), StubConnections.autoCommitting());

    @Test
    void before_a_poller_has_said_its_name_nothing_is_held() {
        LeaseBook off = new LeaseBook(nanos);
        LeaseKeeper idle = TestLeases.keeper(off, store.leases(), StubConnections.autoCommitting());
        off.claimed("a", null, nanos.getAsLong(), true);
        off.claimedAgain("a", nanos.getAsLong());
        idle.renew();
        idle.close();

        assertThat(off.isOn()).isFalse();
        assertThat(off.canInsert()).isFalse();
        assertThat(idle.interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(off.isHeld("a")).isFalse();
        assertThat(off.start("a")).isTrue();
        assertThat(store.calls()).isEmpty();
        assertThatIllegalStateException().isThrownBy(off::ownerId).withMessage("Leases are off");
        assertThatIllegalStateException().isThrownBy(() -> off.inserted("a", 0, true));
    }

    @Test
    void the_first_poller_gives_the_name_and_its_time_decides_how_often_is_renewed() {
        LeaseBook fresh = new LeaseBook(nanos);

        assertThat(fresh.begin("first", Duration.ofSeconds(80))).isEqualTo("first");
        assertThat(fresh.isOn()).isTrue();
        assertThat(fresh.canInsert()).isTrue();
        assertThat(fresh.ownerId()).isEqualTo("first");
        assertThat(TestLeases.keeper(fresh, store.leases(), StubConnections.autoCommitting())
                        .interval())
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void a_second_poller_takes_the_name_of_the_first_and_the_shorter_time_counts() {
        assertThat(leases.begin("other", TIMEOUT.multipliedBy(2))).isEqualTo(NODE);
        assertThat(keeper.interval()).isEqualTo(TIMEOUT.dividedBy(8));
        assertThat(leases.begin("other", TIMEOUT.dividedBy(2))).isEqualTo(NODE);

        assertThat(keeper.interval()).isEqualTo(TIMEOUT.dividedBy(16));
        assertThat(leases.ownerId()).isEqualTo(NODE);
    }

    @Test
    void what_is_inserted_is_ours_when_it_is_committed_before_its_time_has_run_out() {
        insert(leases, store.leases(), "a", "b");
        nanos.advance(TIMEOUT.minus(MOMENT));

        assertThat(leases.committed("a")).isTrue();
        nanos.advance(MOMENT);
        assertThat(leases.committed("b")).isFalse();
        assertThat(leases.committed("never-inserted")).isFalse();
        assertThat(store.calls()).containsExactly("lease.insert node-1 [a, b]");
        assertThat(store.lockedBy("b")).isEqualTo(NODE);
        assertThat(leases.isHeld("a")).isTrue();
    }

    @Test
    void the_time_of_a_claim_counts_from_before_it_was_sent() {
        long since = nanos.getAsLong();
        nanos.advance(Duration.ofSeconds(39));
        leases.claimed("a", null, since, true);

        assertThat(leases.isHeld("a")).isTrue();
        assertThat(leases.start("a")).isTrue();
        nanos.advance(Duration.ofSeconds(1));
        assertThat(leases.start("a")).isFalse();
    }

    @Test
    void an_event_that_was_never_leased_may_always_be_started() {
        assertThat(leases.start("a")).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
        assertThat(leases.ended("a", leases.holdOn("a"))).isFalse();
    }

    @Test
    void an_event_that_is_claimed_again_is_ours_for_another_time_under_the_same_lease() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        nanos.advance(TIMEOUT);
        assertThat(leases.start("a")).isFalse();
        Hold hold = leases.holdOn("a");
        leases.claimedAgain("a", nanos.getAsLong());

        assertThat(hold.isCurrent()).isTrue();
        assertThat(leases.start("a")).isTrue();
    }

    @Test
    void an_event_that_is_claimed_again_while_it_runs_still_runs() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        leases.claimed("b", null, nanos.getAsLong(), true);
        leases.start("a");
        leases.claimedAgain("a", nanos.getAsLong());
        leases.claimedAgain("b", nanos.getAsLong());
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);

        assertThat(leases.isHeld("a")).isTrue();
        assertThat(leases.isHeld("b")).isFalse();
    }

    @Test
    void an_event_that_has_ended_is_not_held_because_it_was_claimed_again() {
        leases.claimedAgain("a", nanos.getAsLong());

        assertThat(leases.isHeld("a")).isFalse();
    }

    @Test
    void nothing_stays_behind_of_what_has_ended() {
        insert(leases, store.leases(), "a", "b");
        leases.committed("a");
        leases.claimed("c", null, nanos.getAsLong(), true);
        leases.start("c");
        leases.forget("b");
        assertThat(leases.ended("a", leases.holdOn("a"))).isTrue();
        assertThat(leases.ended("c", leases.holdOn("c"))).isTrue();

        assertThat(leases.ended("a", leases.holdOn("a"))).isFalse();
        assertThat(Stream.of("a", "b", "c").map(leases::isHeld)).containsOnly(false);
        keeper.releaseGivenBack();
        assertThat(store.leaseCalls()).containsExactly("lease.insert node-1 [a, b]");
    }

    @Test
    void a_lease_that_was_replaced_is_not_current_and_its_end_leaves_the_new_one() {
        leases.claimed("a", null, nanos.getAsLong(), true);
        Hold before = leases.holdOn("a");
        leases.claimed("a", null, nanos.getAsLong(), true);

        assertThat(before.isCurrent()).isFalse();
        assertThat(leases.ended("a", before)).isFalse();
        assertThat(leases.holdOn("a").isCurrent()).isTrue();
    }

    @Test
    void what_a_claim_has_found_is_not_forgotten_because_nobody_knew_of_its_commit() {
        insert(leases, store.leases(), "a", "b");
        leases.claimed("a", null, nanos.getAsLong(), true);
        leases.rolledBack("a");
        leases.rolledBack("b");

        assertThat(leases.isHeld("a")).isTrue();
        assertThat(leases.isHeld("b")).isFalse();
    }

    @Test
    void suspects_begin_beside_each_other_unless_one_of_them_has_ended_a_process() {
        claimSuspect("a", 0);
        claimSuspect("b", 0);
        claimSuspect("killer", 1);
        claimSuspect("killer-2", 2);

        assertThat(leases.beginSuspect("a", 3)).isEqualTo(new Begun("a", 3, 0));
        assertThat(leases.beginSuspect("b", 0)).isNotNull();
        assertThat(leases.beginSuspect("killer", 1)).isNull();
        leases.ended("a", leases.holdOn("a"));
        assertThat(leases.beginSuspect("killer", 1)).isNull();
        leases.giveBack("b");
        assertThat(leases.beginSuspect("killer", 1)).isEqualTo(new Begun("killer", 1, 1));
        assertThat(leases.beginSuspect("killer-2", 2)).isNull();
        claimSuspect("c", 0);
        assertThat(leases.beginSuspect("c", 0)).isNull();
        leases.forget("killer");
        assertThat(leases.beginSuspect("c", 0)).isNotNull();
    }

    @Test
    void a_suspect_that_was_written_down_and_claimed_anew_keeps_others_waiting_no_longer_than_it_is_here() {
        claimSuspect("a", 0);
        assertThat(leases.beginSuspect("a", 0)).isNotNull();
        claimSuspect("a", 1);
        leases.giveBack("a");
        claimSuspect("killer", 1);

        assertThat(leases.beginSuspect("killer", 1)).isNotNull();
    }

    @Test
    void a_suspect_that_must_be_alone_is_alone_in_its_process() {
        LeaseBook one = processWide("killer", 1);
        LeaseBook other = processWide("killer", 0);
        try {
            assertThat(one.beginSuspect("killer", 1)).isNotNull();
            assertThat(other.beginSuspect("killer", 0)).isNull();
            // Of the same name, but not the one that is under way.
            other.giveBack("killer");
            other.claimed("next", new Suspicion(0, false), nanos.getAsLong(), true);
            assertThat(other.beginSuspect("next", 0)).isNull();

            one.ended("killer", one.holdOn("killer"));
            assertThat(other.beginSuspect("next", 0)).isNotNull();
            one.claimed("killer", new Suspicion(1, true), nanos.getAsLong(), true);
            assertThat(one.beginSuspect("killer", 1)).isNull();
        } finally {
            one.forget("killer");
            other.forget("next");
        }
    }

    @Test
    void a_delivery_that_outlasts_its_outbox_counts_until_it_returns_and_leaves_nothing() {
        LeaseBook closed = processWide("hung", 0);
        LeaseBook other = processWide("killer", 1);
        try {
            assertThat(closed.beginSuspect("hung", 0)).isNotNull();
            closed.start("hung");
            TestLeases.keeper(closed, store.leases(), StubConnections.autoCommitting())
                    .close();
            assertThat(other.beginSuspect("killer", 1)).isNull();

            closed.giveBack("hung"); // as its worker does when it comes back
            assertThat(other.beginSuspect("killer", 1)).isNotNull();
        } finally {
            closed.forget("hung");
            other.forget("killer");
        }
    }

    /** One of several outboxes of this process, with a suspect. */
    private LeaseBook processWide(String suspect, int crashes) {
        LeaseBook book = new LeaseBook(nanos);
        book.begin(NODE, TIMEOUT);
        book.claimed(suspect, new Suspicion(crashes, true), nanos.getAsLong(), true);
        return book;
    }

    @Test
    void suspects_that_must_wait_for_others_wait_as_long_as_these_have_been_there() {
        claimSuspect("slow", 1);
        claimSuspect("a", 0);
        assertThat(leases.beginSuspect("slow", 1)).isNotNull();
        assertThat(leases.waitForOthers("slow")).isNull();
        assertThat(waitOf("a")).isEqualTo(Duration.ofMillis(100));
        nanos.advance(Duration.ofSeconds(7));
        assertThat(waitOf("a")).isEqualTo(Duration.ofSeconds(7));
        nanos.advance(Duration.ofHours(7));
        assertThat(waitOf("a")).isEqualTo(Duration.ofSeconds(30));

        leases.ended("slow", leases.holdOn("slow"));
        assertThat(leases.beginSuspect("a", 0)).isNotNull();
        assertThat(leases.waitForOthers("a")).isNull();
        assertThat(leases.waitForOthers("unknown")).isNull();
    }

    private Duration waitOf(String suspect) {
        assertThat(leases.beginSuspect(suspect, 0)).isNull();
        return leases.waitForOthers(suspect);
    }

    @Test
    void nobody_but_a_suspect_is_written_down() {
        leases.claimed("a", null, nanos.getAsLong(), true);

        assertThat(leases.beginSuspect("a", 0)).isNull();
        assertThat(leases.beginSuspect("unknown", 0)).isNull();
    }

    private void claimSuspect(String id, int crashes) {
        leases.claimed(id, new Suspicion(crashes, true), nanos.getAsLong(), true);
    }
}
