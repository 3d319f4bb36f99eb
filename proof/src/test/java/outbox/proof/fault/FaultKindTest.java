package outbox.proof.fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.proof.fault.FaultKind.Excuse;
import outbox.proof.run.RoundSettings;

import static org.assertj.core.api.Assertions.assertThat;

class FaultKindTest {

    /** What is wrong with a listener, a log or a payload is no reason to deliver again, nor to wait. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "LISTENERS_THROW",
                "BAD_MESSAGES",
                "RECEIVER_AWAY",
                "LISTENERS_HANG",
                "LISTENERS_RUN_OUT_OF_MEMORY",
                "LISTENER_OUTLIVES_LEASE",
                "THROWING_LOG",
                "FULL_HEAP",
                "KILLER_EVENT",
                "HUNG_LISTENERS",
                "LONG_TRANSACTIONS",
                "HELD_BACKLOG"
            })
    void troubles_of_the_application_excuse_nothing(FaultKind kind) {
        assertThat(kind.repeats).isEqualTo(Excuse.NONE);
        assertThat(kind.delays).isEqualTo(Excuse.NONE);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ONLY_DATABASE", "FAIL_OVER"})
    void a_database_that_cannot_write_excuses_delays_but_no_repeats_as_it_can_again_before_leases_run_out(
            FaultKind kind) {
        assertThat(kind.repeats).isEqualTo(Excuse.NONE);
        assertThat(kind.delays).isEqualTo(Excuse.ALL);
        assertThat(kind.longestMillis).isLessThan((int) RoundSettings.SHORT_LEASE.toMillis());
    }

    @Test
    void locked_rows_excuse_their_own_repeats_only_and_only_if_leases_could_run_out_meanwhile() {
        int lease = (int) RoundSettings.SHORT_LEASE.toMillis();

        assertThat(FaultKind.LOCK_ROWS.repeats).isEqualTo(Excuse.NONE);
        assertThat(FaultKind.LOCK_ROWS.delays).isEqualTo(Excuse.ROWS);
        assertThat(FaultKind.LOCK_ROWS.longestMillis).isLessThan(lease);
        assertThat(FaultKind.LOCK_ROWS_BEYOND_LEASE.repeats).isEqualTo(Excuse.ROWS);
        assertThat(FaultKind.LOCK_ROWS_BEYOND_LEASE.shortestMillis).isGreaterThan(lease);
    }

    @Test
    void long_transactions_outlast_the_lease() {
        assertThat(FaultKind.LONG_TRANSACTIONS.shortestMillis)
                .isGreaterThan((int) RoundSettings.SHORT_LEASE.toMillis());
    }

    @Test
    void listeners_hang_for_so_long_that_it_would_be_seen_if_nothing_were_left_to_others() {
        int limit = 30_000 + (int) RoundSettings.SHORT_LEASE.toMillis() + 2_000;

        assertThat(FaultKind.HUNG_LISTENERS.shortestMillis).isGreaterThan(limit);
    }

    /** Ten attempts with the pauses of the proof take 13 seconds: without a breaker, or if attempts were counted, events would be dead. */
    @Test
    void receivers_are_away_for_longer_than_all_attempts_take() {
        assertThat(FaultKind.RECEIVER_AWAY.shortestMillis).isGreaterThan(13_000);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"RECEIVER_AWAY", "KILLER_EVENT", "HUNG_LISTENERS", "LONG_TRANSACTIONS", "HELD_BACKLOG", "FULL_HEAP"
            })
    void what_nodes_are_told_to_do_is_not_told_to_consumers(FaultKind kind) {
        assertThat(kind.isOfNodes()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void who_may_deliver_again_may_also_be_late(FaultKind kind) {
        assertThat(kind.repeats).isIn(Excuse.NONE, kind.delays);
    }

    @Test
    void names_are_words_in_reports_and_one_word_on_the_command_line() {
        assertThat(FaultKind.LOCK_ROWS_BEYOND_LEASE.label()).isEqualTo("lock rows beyond lease");
        assertThat(FaultKind.LOCK_ROWS_BEYOND_LEASE.option()).isEqualTo("lock-rows-beyond-lease");
    }
}
