package outbox.internal.outcome;

import java.sql.SQLException;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.OutboxException;
import outbox.spi.ConnectionProvider;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;

/** A database that does not answer is waited for; one that answers and refuses is not. */
@Timeout(20)
class CompletionWriterOutageTest extends CompletionWriterFixture {

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
                .containsExactly("The database takes no outcomes now (AWAY): 2 wait until it does, and so do those"
                        + " that follow");
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "25006, 0", // PostgreSQL is read-only
        "HY000, 1290", // MySQL and MariaDB are
        "53300, 0", // too many connections
        "57P03, 0", // starting up
        "40001, 0", // failed serialization
        "40P01, 0" // deadlock
    })
    void a_database_that_answers_and_cannot_write_now_is_waited_for_and_nothing_is_given_up(String state, int code) {
        SQLException said = new SQLException("not now", state, code);
        store.failWith(new OutboxException("cannot mark", said));
        duringPause = () -> {
            if (pauses.size() == 3 * Refusals.MAX) {
                store.failNext(0);
            }
        };
        write(done("a"), retry("b"));

        assertThat(store.groups()).hasSizeGreaterThan(3 * Refusals.MAX);
        assertThat(store.groups().stream().filter(group -> group.startsWith("markDoneAll")))
                .containsOnly("markDoneAll [a]");
        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses).hasSize(3 * Refusals.MAX).startsWith(50L, 100L, 200L, 400L, 800L, 1600L, 2000L, 2000L);
    }

    @Test
    void an_outage_is_logged_once_when_it_begins_and_once_when_it_is_over() {
        store.failWith(new OutboxException("cannot mark", new SQLException("read-only", "25006")));
        duringPause = () -> {
            if (pauses.size() == 20) {
                store.failNext(0);
            }
        };
        write(done("a"), done("b"));
        write(done("c"));

        assertThat(log.at(Level.WARNING))
                .containsExactly("The database takes no outcomes now (READ_ONLY): 2 wait until it does, and so do"
                        + " those that follow");
        assertThat(log.at(Level.INFO)).containsExactly("The database takes outcomes again: 2 that waited are recorded");
        assertThat(log.at(Level.SEVERE)).isEmpty();
    }

    @Test
    void a_refused_completion_is_not_given_up_during_an_outage_that_begins_meanwhile() {
        store.refuse("a");
        duringPause = () -> {
            if (pauses.size() == 3) {
                store.failWith(new OutboxException("cannot mark", new SQLException("read-only", "25006")));
            } else if (pauses.size() == 3 * Refusals.MAX) {
                store.failNext(0).accept("a");
            }
        };
        write(done("a"));

        assertThat(listener.recorded).containsExactly("a");
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void a_single_completion_outlasts_a_database_that_is_away_as_well() {
        connections.goAway();
        duringPause = () -> {
            if (pauses.size() == 3 * Refusals.MAX) {
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

        assertThat(pauses).hasSize(10 + Refusals.MAX - 1);
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
}
