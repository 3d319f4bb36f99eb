package outbox.internal.lease;

import java.util.List;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.insert;

/** Leases that end before their time. */
class LeaseReleaseTest {

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final ManualNanos nanos = new ManualNanos();
    private final LeaseBook leases = TestLeases.on(nanos);
    private final LeaseKeeper keeper = TestLeases.keeper(leases, store.leases(), StubConnections.autoCommitting());

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void what_is_given_back_is_not_ours_any_more_and_released_when_asked_for() {
        write("a", "b", "c");
        leases.giveBack("a");
        leases.giveBack("b");
        leases.giveBack("never-leased");
        assertThat(leases.isHeld("a")).isFalse();
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        keeper.releaseGivenBack();
        keeper.releaseGivenBack();

        assertThat(releases()).containsExactly("lease.release node-1 [a, b]");
        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.lockedBy("c")).isEqualTo(NODE);
        assertNothingWaits();
    }

    @Test
    void what_cannot_be_released_is_tried_again() {
        write("a");
        leases.giveBack("a");
        store.failNext(1);
        keeper.releaseGivenBack();
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        keeper.releaseGivenBack();

        assertThat(releases()).hasSize(2);
        assertThat(store.lockedBy("a")).isNull();
        assertThat(log.at(Level.WARNING)).containsExactly("1 lease(s) could not be given back yet");
        assertNothingWaits();
    }

    @Test
    void no_more_than_500_are_released_at_once_and_a_group_that_fails_holds_up_no_other() {
        IntStream.range(0, 501).mapToObj(i -> "e" + i).forEach(id -> {
            write(id);
            leases.giveBack(id);
        });
        store.failNext(1);
        keeper.releaseGivenBack();
        assertThat(releases()).hasSize(2).last().isEqualTo("lease.release node-1 [e500]");
        keeper.releaseGivenBack();

        assertThat(releases()).hasSize(3).last().isEqualTo(releases().get(0));
        assertThat(store.lockedBy("e0")).isNull();
    }

    @Test
    void what_was_claimed_again_since_it_was_given_back_is_not_released() {
        write("a");
        leases.giveBack("a");
        leases.claimed("a", null, nanos.getAsLong(), true);
        keeper.releaseGivenBack();

        assertThat(releases()).isEmpty();
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        assertThat(leases.start("a")).isTrue();
    }

    @Test
    void what_was_claimed_again_before_its_end_was_told_is_given_back() {
        write("a");
        leases.start("a");
        leases.claimedAgain("a", nanos.getAsLong()); // a retry that was due at once
        assertThat(leases.ended("a", leases.holdOn("a"))).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
        keeper.releaseGivenBack();

        assertThat(releases()).containsExactly("lease.release node-1 [a]");
    }

    @Test
    void what_was_claimed_again_after_its_end_was_told_is_given_back() {
        leases.claimedAgain("a", nanos.getAsLong());
        keeper.releaseGivenBack();

        assertThat(releases()).containsExactly("lease.release node-1 [a]");
    }

    @Test
    void after_closing_nothing_is_begun_whose_lease_was_given_back() {
        write("a");
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);

        assertThat(leases.start("a")).isFalse();
    }

    @Test
    void closing_releases_what_waits_but_neither_what_runs_nor_what_is_being_written() {
        write("waiting", "running", "given-back");
        leases.start("running");
        leases.giveBack("given-back");
        insert(leases, store.leases(), "uncommitted");
        leases.claimed("claimed", null, nanos.getAsLong(), true);
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);
        assertThat(releases()).as("asked of the database by who closes").isEmpty();
        keeper.releaseGivenBack();

        assertThat(releases()).containsExactly("lease.release node-1 [claimed, given-back, waiting]");
        assertThat(store.lockedBy("running")).isEqualTo(NODE);
        assertThat(store.lockedBy("uncommitted")).isEqualTo(NODE);
        assertThat(leases.canInsert()).isFalse();
    }

    @Test
    void after_closing_what_is_given_back_is_released_at_once() {
        write("a");
        leases.start("a");
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);
        assertThat(releases()).isEmpty();
        leases.giveBack("a");
        leases.giveBack("a");

        assertThat(releases()).containsExactly("lease.release node-1 [a]");
        assertNothingWaits();
    }

    @Test
    void closing_twice_releases_nothing_twice() {
        write("a");
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);
        keeper.releaseGivenBack();
        keeper.giveBackWhatWaits();
        leases.close(keeper::releaseGivenBack);
        keeper.releaseGivenBack();

        assertThat(releases()).hasSize(1);
    }

    private void write(String... ids) {
        for (String id : ids) {
            insert(leases, store.leases(), id);
            assertThat(leases.committed(id)).isTrue();
        }
    }

    private List<String> releases() {
        return store.leaseCalls().stream()
                .filter(call -> call.startsWith("lease.release"))
                .toList();
    }

    private void assertNothingWaits() {
        assertThat(leases.givenBack().isEmpty()).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
    }
}
