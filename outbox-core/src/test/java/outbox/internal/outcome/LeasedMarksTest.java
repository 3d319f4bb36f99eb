package outbox.internal.outcome;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.model.EventStatus;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.DELAY;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** {@link StoreMarks} of events that are leased. */
class LeasedMarksTest {

    private static final boolean DELETE = true;
    private static final boolean MARK = false;

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final LeasingStore store = new LeasingStore(clock);
    private final ManualNanos nanos = new ManualNanos();
    private final LeaseBook leases = TestLeases.on(nanos);

    @Test
    void each_kind_is_one_call_that_carries_the_holds_and_those_without_are_left_to_the_other_marks() {
        store.add("x", "y", "z");
        claim("a", "b", "c", "d");
        Set<String> late = write(MARK, dead("a"), done("b"), retry("c"), done("d"), done("x"), retry("y"), dead("z"));

        assertThat(late).isEmpty();
        assertThat(marked())
                .containsExactly(
                        "lease.markDone node-1 [b, d]", "lease.markRetry node-1 [c]", "lease.markDead node-1 [a]");
        assertThat(store.groups()).containsExactly("markDoneAll [x]", "markRetryAll [y]", "markDeadAll [z]");
    }

    @Test
    void a_kind_of_which_there_is_none_is_no_call() {
        store.add("x");
        claim("a", "b", "c");
        write(MARK, done("a"));
        write(MARK, retry("b"));
        write(MARK, dead("c"));
        write(MARK, done("x"));

        assertThat(marked())
                .containsExactly(
                        "lease.markDone node-1 [a]", "lease.markRetry node-1 [b]", "lease.markDead node-1 [c]");
        assertThat(store.groups()).containsExactly("markDoneAll [x]");
    }

    @Test
    void delay_and_error_are_passed_on_and_without_an_error_the_row_keeps_its_own() {
        claim("a", "b", "c");
        clock.advance(TestLeases.TIMEOUT.multipliedBy(2));
        assertThat(store.leases().claim(null, TestLeases.NODE, TestLeases.TIMEOUT, Duration.ZERO, 10))
                .hasSize(3);
        for (String id : List.of("a", "b", "c")) {
            leases.claimedAgain(id, nanos.getAsLong());
        }
        write(MARK, retry("a"), dead("b"), Completions.of(hot("c", 10), new Verdict.Dead(null)));

        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(DELAY));
        assertThat(store.error("a")).isEqualTo("error of a");
        assertThat(store.error("b")).isEqualTo("error of b");
        assertThat(store.status("c")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("c")).isNull();
    }

    @Test
    void delete_on_success_deletes_what_was_delivered_and_marks_what_failed() {
        store.add("x");
        claim("a", "b");
        write(DELETE, done("a"), retry("b"), done("x"));

        assertThat(marked()).containsExactly("lease.delete node-1 [a]", "lease.markRetry node-1 [b]");
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
        Set<String> late = write(MARK, done("a"), done("b"), retry("c"), dead("d"));

        assertThat(late).containsExactlyInAnyOrder("b", "c", "d");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(3);
        assertThat(store.lockedBy("b")).isEqualTo("node-2");
    }

    @Test
    void an_event_that_is_too_late_for_a_deletion_is_passed_up() {
        claim("a");
        store.takeOver("a", "node-2");

        assertThat(write(DELETE, done("a"))).containsExactly("a");
        assertThat(store.contains("a")).isTrue();
    }

    @Test
    void an_outcome_of_an_earlier_lease_is_too_late_even_if_the_event_came_back_to_the_same_process() {
        claim("a");
        List<Completion> before = held(done("a"));
        leases.forget("a");
        leases.claimed("a", null, nanos.getAsLong(), true);

        assertThat(marks(MARK).write(null, before)).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(marked()).isEmpty();
    }

    @Test
    void a_suspect_that_has_to_wait_is_postponed() {
        claim("a");
        write(MARK, Completions.of(hot("a", 1), new Verdict.Postponed(DELAY, 2)));

        assertThat(marked()).containsExactly("lease.postpone node-1 [a]");
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(DELAY));
        assertThat(store.error("a")).startsWith("(suspect 02) ");
    }

    @Test
    void only_what_is_one_statement_or_one_event_needs_no_transaction() {
        store.add("x", "y");
        claim("a", "b", "c");

        assertThat(repeatable(done("a"), done("b"))).isTrue();
        assertThat(repeatable(done("x"), done("y"))).isTrue();
        assertThat(repeatable(dead("a"))).isTrue();
        assertThat(repeatable(retry("a"))).isTrue();
        assertThat(repeatable(done("a"), dead("b"))).isFalse();
        assertThat(repeatable(dead("a"), dead("b"))).isFalse();
        assertThat(repeatable(retry("a"), retry("b"))).isFalse();
        assertThat(repeatable(done("a"), done("x"))).isFalse();
    }

    @Test
    void a_group_of_which_a_part_is_refused_is_rolled_back_so_that_the_rest_is_not_taken_for_lost() {
        StubConnections connections = StubConnections.autoCommitting();
        store.add("x").refuse("x");
        claim("a");
        CompletionWriterFixture.RecordingListener listener = new CompletionWriterFixture.RecordingListener();
        new CompletionWriter(connections, marks(MARK), time -> false, listener).write(held(done("a"), done("x")));

        assertThat(connections.journal())
                .startsWith("open", "autocommit=false", "rollback", "autocommit=true", "close");
    }

    private List<String> marked() {
        return store.leaseCalls().stream()
                .filter(call -> !call.startsWith("lease.insert"))
                .toList();
    }

    private boolean repeatable(Completion... group) {
        return marks(MARK).isRepeatable(held(group));
    }

    private void claim(String... ids) {
        for (String id : ids) {
            store.leases().insertLeased(null, List.of(event(id)), TestLeases.NODE);
            leases.claimed(id, null, nanos.getAsLong(), true);
        }
    }

    private Set<String> write(boolean delete, Completion... group) {
        return marks(delete).write(null, held(group));
    }

    /** With the holds that there are now. */
    private List<Completion> held(Completion... group) {
        return Stream.of(group)
                .map(completion -> completion.under(leases.holdOn(completion.eventId())))
                .toList();
    }

    private StoreMarks marks(boolean delete) {
        return new StoreMarks(store, leases::ownerId, delete, CompletionWriter.TIME_LIMIT);
    }
}
