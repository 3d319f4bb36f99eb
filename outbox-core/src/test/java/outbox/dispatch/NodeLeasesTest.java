package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.LeaseStore.Held;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static outbox.dispatch.Leases.NODE;
import static outbox.dispatch.Leases.TIMEOUT;
import static outbox.testsupport.Events.event;

/** Whose events are, and until when that is certain. */
class NodeLeasesTest {

    private static final Duration MOMENT = Duration.ofNanos(1);

    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final ManualNanos nanos = new ManualNanos();
    private final NodeLeases leases = Leases.on(store.leases(), nanos);

    @Test
    void before_a_poller_has_said_its_name_nothing_is_held() {
        NodeLeases off = new NodeLeases(store.leases(), StubConnections.autoCommitting(), nanos);
        off.claimed("a", 0, nanos.getAsLong());
        off.claimedAgain("a", 0, nanos.getAsLong());
        off.renew();
        off.close();

        assertThat(off.isOn()).isFalse();
        assertThat(off.canInsert()).isFalse();
        assertThat(off.renewalInterval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(off.held("a")).isNull();
        assertThat(off.start("a")).isTrue();
        assertThat(store.calls()).isEmpty();
        assertThatIllegalStateException().isThrownBy(off::ownerId).withMessage("Leases are off");
        assertThatIllegalStateException().isThrownBy(() -> off.insert(store.leases(), null, List.of(event("a"))));
    }

    @Test
    void a_store_without_leases_leaves_them_off_and_the_poller_its_name() {
        NodeLeases off = Leases.off();

        assertThat(off.begin("anybody", TIMEOUT)).isEqualTo("anybody");
        assertThat(off.isOn()).isFalse();
    }

    @Test
    void the_first_poller_gives_the_name_and_its_time_decides_how_often_is_renewed() {
        NodeLeases fresh = new NodeLeases(store.leases(), StubConnections.autoCommitting(), nanos);

        assertThat(fresh.begin("first", Duration.ofSeconds(80))).isEqualTo("first");
        assertThat(fresh.isOn()).isTrue();
        assertThat(fresh.canInsert()).isTrue();
        assertThat(fresh.ownerId()).isEqualTo("first");
        assertThat(fresh.renewalInterval()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void a_second_poller_takes_the_name_of_the_first_and_the_shorter_time_counts() {
        assertThat(leases.begin("other", TIMEOUT.multipliedBy(2))).isEqualTo(NODE);
        assertThat(leases.renewalInterval()).isEqualTo(TIMEOUT.dividedBy(8));
        assertThat(leases.begin("other", TIMEOUT.dividedBy(2))).isEqualTo(NODE);

        assertThat(leases.renewalInterval()).isEqualTo(TIMEOUT.dividedBy(16));
        assertThat(leases.ownerId()).isEqualTo(NODE);
    }

    @Test
    void what_is_inserted_is_ours_when_it_is_committed_before_its_time_has_run_out() {
        leases.insert(store.leases(), null, List.of(event("a"), event("b")));
        nanos.advance(TIMEOUT.minus(MOMENT));

        assertThat(leases.committed("a")).isTrue();
        nanos.advance(MOMENT);
        assertThat(leases.committed("b")).isFalse();
        assertThat(leases.committed("never-inserted")).isFalse();
        assertThat(store.calls()).containsExactly("lease.insert node-1 [a, b]");
        assertThat(store.lockedBy("b")).isEqualTo(NODE);
        assertThat(leases.held("a")).isEqualTo(new Held("a", 0));
    }

    @Test
    void what_could_not_be_inserted_is_not_held() {
        store.failNext(1);
        assertThatThrownBy(() -> leases.insert(store.leases(), null, List.of(event("a"))))
                .hasMessage("store is broken");

        assertThat(leases.held("a")).isNull();
    }

    @Test
    void the_time_of_a_claim_counts_from_before_it_was_sent() {
        long since = nanos.getAsLong();
        nanos.advance(Duration.ofSeconds(39));
        leases.claimed("a", 3, since);

        assertThat(leases.held("a")).isEqualTo(new Held("a", 3));
        assertThat(leases.start("a")).isTrue();
        nanos.advance(Duration.ofSeconds(1));
        assertThat(leases.start("a")).isFalse();
    }

    @Test
    void an_event_that_was_never_leased_may_always_be_started() {
        assertThat(leases.start("a")).isTrue();
        assertThat(leases.held("a")).isNull();
        assertThat(leases.ended("a", 0)).isFalse();
    }

    @Test
    void an_event_that_is_claimed_again_is_ours_for_another_time_with_its_new_number_of_attempts() {
        leases.claimed("a", 0, nanos.getAsLong());
        nanos.advance(TIMEOUT);
        assertThat(leases.start("a")).isFalse();
        leases.claimedAgain("a", 1, nanos.getAsLong());

        assertThat(leases.held("a")).isEqualTo(new Held("a", 1));
        assertThat(leases.start("a")).isTrue();
    }

    @Test
    void an_event_that_is_claimed_again_while_it_runs_still_runs() {
        leases.claimed("a", 0, nanos.getAsLong());
        leases.claimed("b", 0, nanos.getAsLong());
        leases.start("a");
        leases.claimedAgain("a", 1, nanos.getAsLong());
        leases.claimedAgain("b", 1, nanos.getAsLong());
        leases.close();

        assertThat(leases.held("a")).isEqualTo(new Held("a", 1));
        assertThat(leases.held("b")).isNull();
    }

    @Test
    void an_event_that_has_ended_is_not_held_because_it_was_claimed_again() {
        leases.claimedAgain("a", 1, nanos.getAsLong());

        assertThat(leases.held("a")).isNull();
    }

    @Test
    void nothing_stays_behind_of_what_has_ended() {
        leases.insert(store.leases(), null, List.of(event("a"), event("b")));
        leases.committed("a");
        leases.claimed("c", 0, nanos.getAsLong());
        leases.claimedAgain("c", 1, nanos.getAsLong());
        leases.start("c");
        leases.forget("b");
        assertThat(leases.ended("a", 0)).isTrue();
        assertThat(leases.ended("c", 1)).isTrue();

        assertThat(leases.ended("a", 0)).isFalse();
        assertThat(leases).extracting("leases").asInstanceOf(MAP).isEmpty();
        leases.releaseGivenBack();
        assertThat(store.leaseCalls()).containsExactly("lease.insert node-1 [a, b]");
    }
}
