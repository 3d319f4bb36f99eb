package outbox.internal.outcome;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.testsupport.StubConnections;
import outbox.testsupport.ThrowingLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;

@Timeout(20)
class CompletionWriterTest extends CompletionWriterFixture {

    @Test
    void a_group_is_one_call() {
        write(done("a"), done("b"), done("c"));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b, c]");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(3);
        assertThat(listener.recorded).containsExactly("a", "b", "c");
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses).isEmpty();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void one_kind_in_autocommit_mode_needs_no_transaction() {
        write(done("a"), done("b"));
        write(dead("c"), dead("d"));
        write(retry("e"));

        assertThat(connections.journal()).containsExactly("open", "close", "open", "close", "open", "close");
    }

    @Test
    void mixed_kinds_share_a_transaction_in_autocommit_mode() {
        write(done("a"), retry("b"), dead("c"));

        assertThat(store.groups()).containsExactly("markDoneAll [a]", "markRetryAll [b]", "markDeadAll [c]");
        assertThat(connections.journal())
                .containsExactly("open", "autocommit=false", "commit", "autocommit=true", "close");
        assertThat(listener.recorded).containsExactly("a", "b", "c");
    }

    @Test
    void mixed_kinds_share_the_transaction_of_a_connection_that_has_one() {
        connections = StubConnections.transactional();
        write(done("a"), retry("b"), dead("c"));

        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void one_kind_is_committed_on_a_connection_without_autocommit() {
        connections = StubConnections.transactional();
        write(done("a"), done("b"));

        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void retries_that_are_refused_in_the_middle_are_rolled_back_so_that_no_attempt_counts_twice() {
        store.refuse("b");
        write(retry("a"), retry("b"));

        assertThat(connections.journal())
                .startsWith("open", "autocommit=false", "rollback", "autocommit=true", "close");
        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).containsExactly("b");
    }

    @Test
    void a_retry_is_not_recorded_twice_because_its_connection_could_not_be_closed() {
        connections.failOn("close", new SQLException("closed"));
        write(retry("a"));

        assertThat(store.attempts("a")).isEqualTo(1);
        assertThat(listener.recorded).containsExactly("a");
    }

    @Test
    void completions_are_reported_after_the_commit() {
        connections = StubConnections.transactional();
        List<String> journalAtReport = new ArrayList<>();
        listener = new RecordingListener() {
            @Override
            public void recorded(Completion completion) {
                journalAtReport.addAll(connections.journal());
            }
        };
        write(done("a"));

        assertThat(journalAtReport).containsExactly("open", "commit", "close");
    }

    @Test
    void what_could_not_be_committed_is_not_reported_as_recorded() {
        connections = StubConnections.transactional().failOn("commit", new SQLException("no"));
        write(done("a"), done("b"));

        assertThat(listener.recorded).isEmpty();
        assertThat(listener.givenUp).containsExactly("a", "b");
    }

    @Test
    void a_refused_group_is_halved_until_the_bad_one_stands_alone_and_only_that_one_is_given_up() {
        store.refuse("e5");
        write(done(8));

        assertThat(store.groups())
                .startsWith(
                        "markDoneAll [e0, e1, e2, e3, e4, e5, e6, e7]",
                        "markDoneAll [e0, e1, e2, e3]",
                        "markDoneAll [e4, e5, e6, e7]",
                        "markDoneAll [e4, e5]",
                        "markDoneAll [e4]",
                        "markDoneAll [e5]",
                        "markDoneAll [e6, e7]",
                        "markDoneAll [e5]")
                .hasSize(6 + Refusals.MAX);
        assertThat(listener.recorded).containsExactly("e0", "e1", "e2", "e3", "e4", "e6", "e7");
        assertThat(listener.givenUp).containsExactly("e5");
        assertThat(pauses).containsExactly(50L, 100L, 200L, 400L, 800L, 1600L, 2000L);
        assertThat(log.at(Level.WARNING))
                .contains("Cannot record a group of 8 outcomes, trying its halves")
                .anyMatch(line -> line.contains("e5") && line.endsWith("trying again"));
        assertThat(log.at(Level.SEVERE))
                .containsExactly("Cannot record that Event e5 (__GLOBAL__/UserCreated) is Done; giving up,"
                        + " may be delivered again");
    }

    @Test
    void the_others_do_not_wait_while_a_bad_one_is_tried_again() {
        store.refuse("e0").refuse("e3");
        duringPause = () -> assertThat(listener.recorded).hasSize(6);
        write(done(8));

        assertThat(pauses).isNotEmpty();
        assertThat(listener.givenUp).containsExactly("e0", "e3");
    }

    @Test
    void one_bad_event_costs_a_large_group_few_calls() {
        store.refuse("e250");
        write(done(500));

        assertThat(listener.recorded).hasSize(499).doesNotHaveDuplicates();
        assertThat(listener.givenUp).containsExactly("e250");
        assertThat(store.groups()).hasSizeLessThan(30);
    }

    @Test
    void a_large_group_of_which_every_event_is_refused_is_given_up_one_by_one() {
        store.failWith(new IllegalStateException("read only"));
        write(done(500));

        assertThat(listener.recorded).isEmpty();
        assertThat(listener.givenUp).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void many_refused_events_take_no_more_time_than_one() {
        store.failWith(new IllegalStateException("refused"));
        write(done("a"), done("b"), done("c"));

        assertThat(listener.givenUp).containsExactly("a", "b", "c");
        assertThat(pauses).hasSize(Refusals.MAX - 1);
    }

    @Test
    void a_group_that_is_refused_once_is_recorded_in_halves_without_a_pause() {
        store.failNext(1);
        write(done("a"), done("b"), done("c"));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b, c]", "markDoneAll [a]", "markDoneAll [b, c]");
        assertThat(listener.recorded).containsExactly("a", "b", "c");
        assertThat(pauses).isEmpty();
    }

    @Test
    void a_single_completion_that_is_refused_at_first_is_recorded_in_the_end_and_asked_for_nothing_else() {
        store.failNext(Refusals.MAX - 1);
        write(done("a"));

        assertThat(store.groups()).hasSize(Refusals.MAX).containsOnly("markDoneAll [a]");
        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void a_listener_that_throws_hides_nothing_from_the_others() {
        listener = new RecordingListener() {
            @Override
            public void recorded(Completion completion) {
                super.recorded(completion);
                throw new IllegalStateException("listener is broken");
            }

            @Override
            public void givenUp(Completion completion) {
                super.givenUp(completion);
                throw new IllegalStateException("listener is broken");
            }
        };
        write(done("a"), done("b"));
        connections.goAway();
        new CompletionWriter(connections, marks(), time -> false, listener).write(List.of(done("c"), done("d")));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).containsExactly("c", "d");
        assertThat(log.at(Level.SEVERE)).contains("Cannot report the outcome of Event a (__GLOBAL__/UserCreated)");
    }

    @Test
    void an_error_of_the_store_is_not_tried_again_and_leaves_nothing_in_flight() {
        store.failWith(new LinkageError("driver is missing a class"));
        write(done("a"), done("b"));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
        assertThat(listener.givenUp).containsExactly("a", "b");
        assertThat(pauses).isEmpty();
    }

    @Test
    void of_each_completion_something_is_told_exactly_once_whatever_is_thrown_in_between() {
        listener = new RecordingListener() {
            @Override
            public void recorded(Completion completion) {
                super.recorded(completion);
                throw new OutOfMemoryError("in the listener");
            }
        };
        store.refuse("e5");
        duringPause = () -> {
            throw new IllegalStateException("pause is broken");
        };
        assertThatThrownBy(() -> write(done(8))).hasMessage("pause is broken");

        assertThat(listener.recorded).containsExactly("e0", "e1", "e2", "e3", "e4", "e6", "e7");
        assertThat(listener.givenUp).containsExactly("e5");
    }

    @Test
    void an_error_in_one_half_of_a_group_gives_up_that_half_and_no_more() {
        store.add("d").refuse("a");
        store.beforeGroup(() -> {
            if (store.groups().size() == 3) {
                throw new LinkageError("in the store");
            }
        });
        write(done("b"), done("a"), done("c"), done("d"));

        assertThat(listener.givenUp).containsExactly("b", "a");
        assertThat(listener.recorded).containsExactly("c", "d");
    }

    @Test
    void what_is_recorded_is_not_given_up_because_of_a_log_that_throws() {
        connections.goAway();
        duringPause = connections::comeBack;
        try (ThrowingLog broken = new ThrowingLog()) {
            write(done("a"), done("b"));
            assertThat(broken.lines()).isPositive();
        }

        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void the_tries_of_a_refused_completion_do_not_hold_up_the_others_for_long() {
        store.refuse("a");
        write(done("a"));

        assertThat(pauses.stream().mapToLong(Long::longValue).sum())
                .isLessThan(Duration.ofSeconds(6).toMillis());
    }

    @Test
    void what_came_too_late_is_not_reported_as_recorded_and_not_tried_again() {
        List<List<String>> written = new ArrayList<>();
        Marks marks = new TestMarks(group -> {
            written.add(Completions.ids(group));
            return Set.of("b");
        });
        new CompletionWriter(connections, marks, time -> true, listener)
                .write(List.of(done("a"), done("b"), done("c")));

        assertThat(written).containsExactly(List.of("a", "b", "c"));
        assertThat(listener.recorded).containsExactly("a", "c");
        assertThat(listener.tooLate).containsExactly("b");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void what_came_too_late_is_told_from_the_rest_in_a_group_of_mixed_kinds_as_well() {
        new CompletionWriter(connections, new TestMarks(group -> Set.of("b")), time -> true, listener)
                .write(List.of(done("a"), retry("b")));

        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.tooLate).containsExactly("b");
    }
}
