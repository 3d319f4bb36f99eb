package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.dispatch.Completions.DELAY;
import static outbox.dispatch.Completions.dead;
import static outbox.dispatch.Completions.done;
import static outbox.dispatch.Completions.retry;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

class LeasedMarksTest {

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final LeasingStore store = new LeasingStore(clock);
    private final ManualNanos nanos = new ManualNanos();
    private final NodeLeases leases = Leases.on(store.leases(), nanos);

    @Test
    void each_kind_is_one_call_that_carries_the_holds_and_those_without_are_left_to_the_other_marks() {
        store.add("x", "y", "z");
        claim("a", "b", "c", "d");
        Set<String> late = write(
                CompletionMode.MARK_DONE,
                dead("a"),
                done("b"),
                retry("c"),
                done("d"),
                done("x"),
                retry("y"),
                dead("z"));

        assertThat(late).isEmpty();
        assertThat(marked())
                .containsExactly(
                        "lease.markDone node-1 [b@0, d@0]",
                        "lease.markRetry node-1 [c@0]",
                        "lease.markDead node-1 [a@0]");
        assertThat(store.groups()).containsExactly("markDoneAll [x]", "markRetryAll [y]", "markDeadAll [z]");
    }

    @Test
    void a_kind_of_which_there_is_none_is_no_call() {
        store.add("x");
        claim("a", "b", "c");
        write(CompletionMode.MARK_DONE, done("a"));
        write(CompletionMode.MARK_DONE, retry("b"));
        write(CompletionMode.MARK_DONE, dead("c"));
        write(CompletionMode.MARK_DONE, done("x"));

        assertThat(marked())
                .containsExactly(
                        "lease.markDone node-1 [a@0]", "lease.markRetry node-1 [b@0]", "lease.markDead node-1 [c@0]");
        assertThat(store.groups()).containsExactly("markDoneAll [x]");
    }

    @Test
    void delay_and_error_are_passed_on_and_without_an_error_the_row_keeps_its_own() {
        claim("a", "b", "c");
        clock.advance(Leases.TIMEOUT.multipliedBy(2));
        assertThat(store.leases().claim(null, Leases.NODE, Leases.TIMEOUT, Duration.ZERO, 10))
                .hasSize(3);
        for (String id : List.of("a", "b", "c")) {
            leases.claimedAgain(id, 1, nanos.getAsLong());
        }
        write(CompletionMode.MARK_DONE, retry("a"), dead("b"), Completion.of(hot("c", 10), new Outcome.Dead(null)));

        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(DELAY));
        assertThat(store.error("a")).isEqualTo("error of a");
        assertThat(store.error("b")).isEqualTo("error of b");
        assertThat(store.status("c")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("c")).isEqualTo("Lease expired, owner node-1");
    }

    @Test
    void delete_on_success_deletes_what_was_delivered_and_marks_what_failed() {
        store.add("x");
        claim("a", "b");
        write(CompletionMode.DELETE, done("a"), retry("b"), done("x"));

        assertThat(marked()).containsExactly("lease.delete node-1 [a@0]", "lease.markRetry node-1 [b@0]");
        assertThat(store.groups()).containsExactly("deleteAll [x]");
        assertThat(store.contains("a")).isFalse();
        assertThat(store.status("b")).isEqualTo(EventStatus.RETRY);
    }

    @Test
    void what_belongs_to_another_process_stays_as_it_is_and_is_passed_up_whatever_its_kind() {
        claim("a", "b", "c", "d");
        for (String id : List.of("b", "c", "d")) {
            store.takeOver(id, "node-2");
        }
        Set<String> late = write(CompletionMode.MARK_DONE, done("a"), done("b"), retry("c"), dead("d"));

        assertThat(late).containsExactlyInAnyOrder("b", "c", "d");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(3);
        assertThat(store.lockedBy("b")).isEqualTo("node-2");
    }

    @Test
    void an_event_that_is_too_late_for_a_deletion_is_passed_up() {
        claim("a");
        store.takeOver("a", "node-2");

        assertThat(write(CompletionMode.DELETE, done("a"))).containsExactly("a");
        assertThat(store.contains("a")).isTrue();
    }

    @Test
    void a_hold_of_before_is_too_late_even_if_the_event_came_back_to_the_same_process() {
        claim("a");
        store.takeOver("a", Leases.NODE);

        assertThat(write(CompletionMode.MARK_DONE, done("a"))).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void what_the_other_marks_say_is_passed_up_as_well() {
        LeasedMarks marks =
                new LeasedMarks(leases, store.leases(), CompletionMode.MARK_DONE, (conn, group) -> Set.of("x"));

        assertThat(marks.write(null, List.of(done("x")))).containsExactly("x");
    }

    @Test
    void only_what_is_one_statement_or_one_event_needs_no_transaction() {
        store.add("x", "y");
        claim("a", "b", "c");
        leases.claimed("attempted", 1, nanos.getAsLong());

        assertThat(repeatable(done("a"), done("b"))).isTrue();
        assertThat(repeatable(done("x"), done("y"))).isTrue();
        assertThat(repeatable(dead("a"))).isTrue();
        assertThat(repeatable(retry("a"))).isTrue();
        assertThat(repeatable(done("a"), dead("b"))).isFalse();
        assertThat(repeatable(dead("a"), dead("b"))).isFalse();
        assertThat(repeatable(retry("a"), retry("b"))).isFalse();
        assertThat(repeatable(done("a"), done("attempted"))).isFalse();
        assertThat(repeatable(done("a"), done("x"))).isFalse();
    }

    @Test
    void a_group_of_which_a_part_is_refused_is_rolled_back_so_that_the_rest_is_not_taken_for_lost() {
        StubConnections connections = StubConnections.autoCommitting();
        store.add("x").refuse("x");
        claim("a");
        CompletionWriterFixture.RecordingListener listener = new CompletionWriterFixture.RecordingListener();
        new CompletionWriter(connections, marks(CompletionMode.MARK_DONE), time -> false, listener)
                .write(List.of(done("a"), done("x")));

        assertThat(connections.journal())
                .startsWith("open", "autocommit=false", "rollback", "autocommit=true", "close");
    }

    private List<String> marked() {
        return store.leaseCalls().stream()
                .filter(call -> !call.startsWith("lease.insert"))
                .toList();
    }

    private boolean repeatable(Completion... group) {
        return marks(CompletionMode.MARK_DONE).isRepeatable(List.of(group));
    }

    private void claim(String... ids) {
        for (String id : ids) {
            store.leases().insertLeased(null, List.of(event(id)), Leases.NODE);
            leases.claimed(id, 0, nanos.getAsLong());
        }
    }

    private Set<String> write(CompletionMode mode, Completion... group) {
        return marks(mode).write(null, List.of(group));
    }

    private LeasedMarks marks(CompletionMode mode) {
        return new LeasedMarks(leases, store.leases(), mode, new StoreMarks(store, mode));
    }
}
