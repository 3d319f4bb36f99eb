package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.spi.ConnectionProvider;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.dispatch.Completions.dead;
import static outbox.dispatch.Completions.done;
import static outbox.dispatch.Completions.retry;

@Timeout(20)
class CompletionWriterTest {

    /** Keeps what it hears. */
    private static class RecordingListener implements CompletionWriter.Listener {
        private final List<String> recorded = new ArrayList<>();
        private final List<String> givenUp = new ArrayList<>();

        @Override
        public void recorded(Completion completion) {
            recorded.add(completion.eventId());
        }

        @Override
        public void givenUp(Completion completion) {
            givenUp.add(completion.eventId());
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore().add("a", "b", "c");
    private final List<Long> pauses = new ArrayList<>();
    private StubConnections connections = StubConnections.autoCommitting();
    private RecordingListener listener = new RecordingListener();
    private Runnable duringPause = () -> {};

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

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
                .hasSize(6 + CompletionWriter.MAX_REFUSALS);
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
        assertThat(pauses).hasSize(CompletionWriter.MAX_REFUSALS - 1);
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
        store.failNext(CompletionWriter.MAX_REFUSALS - 1);
        write(done("a"));

        assertThat(store.groups()).hasSize(CompletionWriter.MAX_REFUSALS).containsOnly("markDoneAll [a]");
        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void a_database_that_is_away_gets_the_whole_group_when_it_is_back_and_nothing_is_given_up() {
        connections.goAway();
        duringPause = () -> {
            assertThat(listener.recorded).isEmpty();
            if (pauses.size() == 20) {
                connections.comeBack();
            }
        };
        write(done("a"), done("b"));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses)
                .hasSize(20)
                .startsWith(50L, 100L, 200L, 400L, 800L, 1600L, 2000L, 2000L)
                .endsWith(2000L);
        assertThat(log.at(Level.WARNING))
                .hasSize(20)
                .first()
                .asString()
                .isEqualTo("Cannot record that Event a (__GLOBAL__/UserCreated) is Done and 1 other outcome(s),"
                        + " trying again");
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @Test
    void a_single_completion_outlasts_a_database_that_is_away_as_well() {
        connections.goAway();
        duringPause = () -> {
            if (pauses.size() == 3 * CompletionWriter.MAX_REFUSALS) {
                connections.comeBack();
            }
        };
        write(done("a"));

        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void connections_on_which_nobody_answers_are_a_database_that_is_away() {
        connections.fallSilent();
        store.failWith(new IllegalStateException("broken pipe"));
        duringPause = () -> {
            if (pauses.size() == 20) {
                connections.comeBack();
                store.failNext(0);
            }
        };
        write(done("a"), done("b"));

        assertThat(store.groups()).hasSize(21).containsOnly("markDoneAll [a, b]");
        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void a_provider_that_throws_what_it_likes_is_a_database_that_is_away() {
        ConnectionProvider moody = () -> {
            if (pauses.size() < 20) {
                throw new IllegalStateException("no connection to be had");
            }
            return connections.getConnection();
        };
        write(moody, List.of(done("a"), done("b")));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void a_database_that_leaves_again_between_the_halves_loses_nothing() {
        store.beforeGroup(() -> {
            if (store.groups().size() == 1) {
                throw new IllegalStateException("refused once");
            }
            if (store.groups().size() == 2) {
                connections.goAway().fallSilent();
                throw new IllegalStateException("connection lost");
            }
        });
        duringPause = () -> {
            if (pauses.size() == 12) {
                connections.comeBack();
            }
        };
        write(done(4));

        assertThat(store.groups())
                .containsExactly(
                        "markDoneAll [e0, e1, e2, e3]",
                        "markDoneAll [e0, e1]",
                        "markDoneAll [e0, e1]",
                        "markDoneAll [e2, e3]");
        assertThat(listener.recorded).containsExactly("e0", "e1", "e2", "e3");
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses).hasSize(12);
    }

    @Test
    void a_bad_event_in_a_group_that_waited_for_the_database_still_harms_only_itself() {
        connections.goAway();
        duringPause = connections::comeBack;
        store.refuse("b");
        write(done("a"), done("b"), done("c"));

        assertThat(listener.recorded).containsExactly("a", "c");
        assertThat(listener.givenUp).containsExactly("b");
    }

    @Test
    void times_without_a_database_do_not_count_as_refusals() {
        store.refuse("a");
        duringPause = () -> {
            if (pauses.size() <= 10) {
                connections.goAway();
            } else {
                connections.comeBack();
            }
        };
        write(done("a"));

        assertThat(pauses).hasSize(10 + CompletionWriter.MAX_REFUSALS - 1);
        assertThat(listener.givenUp).containsExactly("a");
    }

    @Test
    void a_connection_that_cannot_be_asked_whether_it_is_valid_counts_as_an_answer() {
        connections.failOn("isValid", new UnsupportedOperationException());
        store.refuse("b");
        write(done("a"), done("b"));

        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).containsExactly("b");
    }

    @Test
    void a_provider_without_connections_is_enough_for_a_store_in_memory() {
        store.refuse("b");
        write(() -> null, List.of(done("a"), done("b"), retry("c")));

        assertThat(listener.recorded).containsExactly("a", "c");
        assertThat(listener.givenUp).containsExactly("b");
    }

    @Test
    void when_there_is_no_more_time_the_group_is_given_up_as_it_is() {
        connections.goAway();
        new CompletionWriter(connections, marks(), time -> false, listener).write(List.of(done("a"), retry("b")));

        assertThat(listener.recorded).isEmpty();
        assertThat(listener.givenUp).containsExactly("a", "b");
        assertThat(store.groups()).isEmpty();
        assertThat(log.at(Level.SEVERE))
                .hasSize(1)
                .first()
                .asString()
                .contains("Event a", "is Done and 1 other outcome(s)", "giving up");
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
    void the_tries_of_a_refused_completion_do_not_hold_up_the_others_for_long() {
        store.refuse("a");
        write(done("a"));

        assertThat(pauses.stream().mapToLong(Long::longValue).sum())
                .isLessThan(Duration.ofSeconds(6).toMillis());
    }

    private void write(Completion... group) {
        write(List.of(group));
    }

    private void write(List<Completion> group) {
        write(connections, group);
    }

    private void write(ConnectionProvider provider, List<Completion> group) {
        CompletionWriter.Pause patient = time -> {
            pauses.add(time.toMillis());
            duringPause.run();
            return true;
        };
        new CompletionWriter(provider, marks(), patient, listener).write(group);
    }

    private CompletionWriter.Marks marks() {
        StoreMarks marks = new StoreMarks(store, CompletionMode.MARK_DONE);
        return (Connection conn, List<Completion> group) -> marks.write(conn, group);
    }
}
