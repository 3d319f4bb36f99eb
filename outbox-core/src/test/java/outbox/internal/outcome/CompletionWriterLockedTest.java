package outbox.internal.outcome;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.testsupport.ManualNanos;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;

/** Rows that somebody else has locked keep nobody waiting but their own outcomes. */
@Timeout(20)
class CompletionWriterLockedTest extends CompletionWriterFixture {

    private final ManualNanos nanos = new ManualNanos();
    private boolean time = true;
    private CompletionWriter writer;

    private CompletionWriter writer() {
        if (writer == null) {
            CompletionWriter.Pause pause = wait -> {
                pauses.add(wait.toMillis());
                nanos.advance(wait);
                duringPause.run();
                return time;
            };
            writer = new CompletionWriter(connections, marks(), pause, listener, nanos);
        }
        return writer;
    }

    @Override
    void write(List<Completion> group) {
        writer().write(group);
    }

    private void tryAgainAfter(long millis) {
        nanos.advance(Duration.ofMillis(millis));
        writer().tryLockedAgain();
    }

    @Test
    void a_group_that_meets_no_lock_is_written_plainly() {
        write(done("a"), done("b"));

        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
        assertThat(writer().timeToNextTry()).isNull();
    }

    @Test
    void the_other_outcomes_of_a_group_are_recorded_and_that_of_the_locked_row_is_kept() {
        store.lockElsewhere("b");
        write(done("a"), done("b"), done("c"));

        assertThat(store.groups())
                .containsExactly("markDoneAll [a, b, c]", "lockOrSkip [a, b, c]", "markDoneAll [a, c]");
        assertThat(connections.journal())
                .containsExactly("open", "close", "open", "autocommit=false", "commit", "autocommit=true", "close");
        assertThat(listener.recorded).containsExactly("a", "c");
        assertThat(listener.givenUp).isEmpty();
        assertThat(writer().lockedCount()).isEqualTo(1);
        assertThat(pauses).isEmpty();
    }

    @Test
    void all_kinds_of_outcomes_are_kept_and_recorded_when_their_rows_are_free() {
        store.lockElsewhere("a", "b", "c");
        write(done("a"), retry("b"), dead("c"));
        assertThat(listener.recorded).isEmpty();

        store.unlockElsewhere("a", "b", "c");
        tryAgainAfter(100);

        assertThat(listener.recorded).containsExactly("a", "b", "c");
        assertThat(store.status("b")).isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("b")).isEqualTo(1);
        assertThat(store.status("c")).isEqualTo(EventStatus.DEAD);
        assertThat(writer().lockedCount()).isZero();
    }

    @Test
    void other_groups_are_written_while_a_row_is_locked() {
        store.lockElsewhere("a");
        write(done("a"));
        write(done("b"));
        tryAgainAfter(100);
        write(done("c"));

        assertThat(listener.recorded).containsExactly("b", "c");
        assertThat(writer().lockedCount()).isEqualTo(1);
    }

    @Test
    void the_next_group_waits_for_no_time_limit_if_it_meets_locks_too_and_the_one_after_a_free_one_is_plain_again() {
        store.lockElsewhere("a");
        write(done("a"));
        store.lockElsewhere("b");
        write(done("b"));
        write(done("c"));
        write(done("c"));

        assertThat(store.groups())
                .containsExactly(
                        "markDoneAll [a]",
                        "lockOrSkip [a]",
                        "lockOrSkip [b]",
                        "lockOrSkip [c]",
                        "markDoneAll [c]",
                        "markDoneAll [c]");
    }

    @Test
    void a_locked_row_is_tried_again_with_growing_pauses_which_begin_anew_when_a_row_becomes_free() {
        store.lockElsewhere("a", "b");
        write(done("a"), done("b"));
        for (long pause : List.of(100, 200, 400, 800, 1600, 2000, 2000)) {
            assertThat(writer().timeToNextTry()).isEqualTo(Duration.ofMillis(pause));
            tryAgainAfter(pause - 1);
            assertThat(writer().timeToNextTry()).isEqualTo(Duration.ofMillis(1));
            tryAgainAfter(1);
        }
        store.unlockElsewhere("a");
        tryAgainAfter(2000);

        assertThat(listener.recorded).containsExactly("a");
        assertThat(writer().timeToNextTry()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void rows_that_are_tried_again_are_never_waited_for() {
        store.lockElsewhere("a", "b");
        write(done("a"), done("b"));
        tryAgainAfter(100);
        tryAgainAfter(200);

        assertThat(store.groups())
                .containsExactly("markDoneAll [a, b]", "lockOrSkip [a, b]", "lockOrSkip [a, b]", "lockOrSkip [a, b]");
    }

    @Test
    void locks_are_logged_once_when_they_begin_and_once_when_the_last_is_gone() {
        store.lockElsewhere("a", "b");
        write(done("a"));
        write(done("b"));
        tryAgainAfter(100);
        store.unlockElsewhere("a", "b");
        tryAgainAfter(200);

        assertThat(log.at(Level.WARNING))
                .containsExactly("Somebody has locked the row of Event a (__GLOBAL__/UserCreated): its outcome Done is"
                        + " recorded when the row is free, others meanwhile");
        assertThat(log.at(Level.INFO)).containsExactly("The rows are free again for which 2 outcome(s) had to wait");
    }

    @Test
    void without_skip_locked_a_group_is_halved_until_the_locked_row_stands_alone() {
        store.withoutSkipLocked().lockElsewhere("e5");
        write(done(8));

        assertThat(listener.recorded).containsExactly("e0", "e1", "e2", "e3", "e4", "e6", "e7");
        assertThat(writer().lockedCount()).isEqualTo(1);
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses).isEmpty();
    }

    @Test
    void without_skip_locked_a_round_ends_at_the_first_locked_row_and_the_next_begins_behind_it() {
        store.withoutSkipLocked().lockElsewhere("a", "b", "c");
        write(done("a"), done("b"), done("c"));
        store.unlockElsewhere("b");
        int before = store.groups().size();
        tryAgainAfter(100);
        tryAgainAfter(200);

        assertThat(store.groups().subList(before, store.groups().size()))
                .containsExactly("markDoneAll [a]", "markDoneAll [b]", "markDoneAll [c]");
        assertThat(listener.recorded).containsExactly("b");
        assertThat(writer().lockedCount()).isEqualTo(2);
    }

    @Test
    void an_outage_while_locked_rows_are_tried_again_is_waited_for() {
        store.lockElsewhere("a");
        write(done("a"));
        store.unlockElsewhere("a");
        connections.goAway();
        duringPause = () -> {
            if (pauses.size() == 20) {
                connections.comeBack();
            }
        };
        tryAgainAfter(100);

        assertThat(pauses).hasSize(20);
        assertThat(listener.recorded).containsExactly("a");
    }

    @Test
    void a_row_that_is_refused_when_it_is_free_is_given_up_like_any_other() {
        store.lockElsewhere("a").refuse("a");
        store.accept("a");
        write(done("a"));
        store.unlockElsewhere("a").refuse("a");
        tryAgainAfter(100);

        assertThat(listener.givenUp).containsExactly("a");
        assertThat(writer().lockedCount()).isZero();
    }

    @Test
    void a_refused_outcome_whose_row_is_locked_meanwhile_is_kept() {
        store.refuse("a");
        duringPause = () -> store.accept("a").lockElsewhere("a");
        write(done("a"));

        assertThat(writer().lockedCount()).isEqualTo(1);
        assertThat(listener.givenUp).isEmpty();
    }

    @Test
    void at_the_end_locked_rows_are_waited_for() {
        store.lockElsewhere("a");
        write(done("a"));
        duringPause = () -> {
            if (pauses.size() == 3) {
                store.unlockElsewhere("a");
            }
        };
        writer().finish();

        assertThat(pauses).containsExactly(100L, 200L, 400L);
        assertThat(listener.recorded).containsExactly("a");
    }

    @Test
    void when_there_is_no_more_time_what_is_still_locked_is_given_up_once() {
        store.lockElsewhere("a", "b");
        write(done("a"), done("b"));
        time = false;
        writer().finish();
        writer().finish();

        assertThat(listener.givenUp).containsExactly("a", "b");
        assertThat(writer().lockedCount()).isZero();
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().contains("Event a", "giving up");
    }

    @Test
    void at_the_end_nothing_is_waited_for_if_nothing_is_locked() {
        writer().finish();

        assertThat(pauses).isEmpty();
    }

    @Test
    void a_pause_that_throws_at_the_end_leaves_nothing_in_flight() {
        store.lockElsewhere("a");
        write(done("a"));
        duringPause = () -> {
            throw new IllegalStateException("pause is broken");
        };
        try {
            writer().finish();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("pause is broken");
        }

        assertThat(listener.givenUp).containsExactly("a");
    }
}
