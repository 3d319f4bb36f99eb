package outbox.proof.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.Violation.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** Times are in seconds; the lease is three, and a healthy process is given two more. */
class HistoryCheckerTest {

    private static final String PLAIN = "plain";
    private static final String ORDERED = "ordered";
    private static final String DELETING = "deleting";
    private static final String BESIDE_OLDER = "beside older";
    private static final long SUM = 17;
    private static final int NEW = 0;
    private static final int RETRY = 2;

    private final List<Booking> bookings = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<OutboxRow> rows = new ArrayList<>();
    private final List<FaultWindow> faults = new ArrayList<>();
    private final Map<String, Long> discards = new HashMap<>();
    private final List<String> leaks = new ArrayList<>();

    private Verdict verdict() {
        return HistoryChecker.check(new History(
                Map.of(
                        PLAIN, new OutboxRules(false, false, false),
                        ORDERED, new OutboxRules(true, false, false),
                        DELETING, new OutboxRules(false, true, false),
                        BESIDE_OLDER, new OutboxRules(false, false, false).besideOlderNodes()),
                Duration.ofSeconds(3),
                bookings,
                deliveries,
                List.of(),
                rows,
                Consumption.NONE,
                faults,
                discards,
                leaks));
    }

    private List<Kind> violations() {
        return verdict().violations().stream().map(Violation::kind).toList();
    }

    private void booked(String outbox, String id, long n, Fate fate) {
        bookings.add(new Booking(outbox, id, "account", n, 0, fate, SUM));
    }

    private void delivered(String outbox, String id, String process, long start, long end, Result result) {
        deliveries.add(new Delivery(outbox, id, process, nanos(start), nanos(end), result, SUM));
    }

    private void row(String outbox, String id, int status) {
        rows.add(new OutboxRow(outbox, id, status, null));
    }

    private void fault(String process, long from, long to) {
        faults.add(new FaultWindow("fault", process, nanos(from), nanos(to)));
    }

    private static long nanos(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Booked, delivered once, and done. */
    private void well(String outbox, String id, long n, long start, long end) {
        booked(outbox, id, n, Fate.WELL);
        delivered(outbox, id, "A", start, end, Result.OK);
        row(outbox, id, OutboxRow.DONE);
    }

    private void poison(String outbox, String id, long n, long start, long end) {
        booked(outbox, id, n, Fate.POISON);
        delivered(outbox, id, "A", start, end, Result.FAILED);
        row(outbox, id, OutboxRow.DEAD);
    }

    @Test
    void a_history_without_faults_in_which_all_arrive_once_is_good() {
        well(PLAIN, "a", 1, 1, 2);
        well(ORDERED, "b", 1, 1, 2);
        well(ORDERED, "c", 2, 2, 3);
        poison(ORDERED, "d", 3, 3, 4);
        well(ORDERED, "e", 4, 4, 5);
        booked(DELETING, "f", 1, Fate.WELL);
        delivered(DELETING, "f", "A", 1, 2, Result.FAILED);
        delivered(DELETING, "f", "B", 3, 4, Result.OK);

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 0));
    }

    @Test
    void an_event_without_any_delivery_is_lost() {
        booked(PLAIN, "a", 1, Fate.WELL);
        row(PLAIN, "a", OutboxRow.DONE);

        assertThat(violations()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_whose_deliveries_were_all_cut_off_is_lost() {
        booked(DELETING, "a", 1, Fate.WELL);
        delivered(DELETING, "a", "A", 1, 2, Result.CUT_OFF);

        assertThat(violations()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_that_ended_dead_though_it_was_well_is_lost() {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 2, Result.FAILED);
        row(PLAIN, "a", OutboxRow.DEAD);

        assertThat(violations()).containsExactly(Kind.LOST, Kind.WRONG_STATE);
    }

    @Test
    void an_event_that_ended_dead_without_a_delivery_is_unheard_whatever_faults_there_were() {
        booked(PLAIN, "a", 1, Fate.POISON);
        row(PLAIN, "a", OutboxRow.DEAD);
        fault(null, 0, 100);

        assertThat(violations()).containsExactly(Kind.UNHEARD);
    }

    @Test
    void an_event_that_ended_dead_without_a_delivery_though_it_was_well_is_also_lost() {
        booked(PLAIN, "a", 1, Fate.WELL);
        row(PLAIN, "a", OutboxRow.DEAD);

        assertThat(violations()).containsExactly(Kind.LOST, Kind.WRONG_STATE, Kind.UNHEARD);
    }

    @Test
    void an_event_whose_only_delivery_was_cut_off_was_heard() {
        killer(PLAIN, "a", 1, 1, 2);

        assertThat(violations()).isEmpty();
    }

    @Test
    void beside_older_nodes_events_may_die_unheard_but_are_lost_all_the_same() {
        booked(BESIDE_OLDER, "a", 1, Fate.POISON);
        row(BESIDE_OLDER, "a", OutboxRow.DEAD);
        booked(BESIDE_OLDER, "b", 1, Fate.WELL);
        row(BESIDE_OLDER, "b", OutboxRow.DEAD);

        assertThat(violations()).containsExactly(Kind.LOST, Kind.WRONG_STATE);
    }

    private void killer(String outbox, String id, long n, long start, long end) {
        booked(outbox, id, n, Fate.KILLER);
        killed(outbox, id, "A", start, end);
        row(outbox, id, OutboxRow.DEAD);
    }

    private void killed(String outbox, String id, String process, long start, long end) {
        delivered(outbox, id, process, start, end, Result.CUT_OFF);
        faults.add(FaultWindow.deathByEvent(process, nanos(end), nanos(end)));
    }

    @Test
    void an_event_that_ends_its_process_again_and_again_explains_its_repeats_and_those_of_others() {
        killer(PLAIN, "a", 1, 1, 2);
        killed(PLAIN, "a", "B", 9, 10);
        booked(PLAIN, "b", 2, Fate.WELL);
        delivered(PLAIN, "b", "A", 1, 2, Result.CUT_OFF);
        delivered(PLAIN, "b", "B", 8, 9, Result.OK);
        row(PLAIN, "b", OutboxRow.DONE);

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 2));
    }

    @Test
    void an_event_that_ends_its_process_must_end_dead() {
        killer(PLAIN, "a", 1, 1, 2);
        rows.clear();
        row(PLAIN, "a", RETRY);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void what_follows_an_event_that_ends_its_process_begins_after_its_last_delivery() {
        killer(ORDERED, "a", 1, 1, 2);
        killed(ORDERED, "a", "B", 9, 10);
        well(ORDERED, "b", 2, 20, 21);
        assertThat(violations()).isEmpty();

        killed(ORDERED, "a", "C", 29, 30);
        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void a_delivery_that_nobody_has_committed_is_invented() {
        delivered(PLAIN, "rolled back", "A", 1, 2, Result.OK);

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void a_row_that_nobody_has_committed_is_invented() {
        row(PLAIN, "rolled back", NEW);

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void a_delivery_by_an_outbox_that_it_does_not_belong_to_is_invented() {
        well(PLAIN, "a", 1, 1, 2);
        deliveries.set(0, new Delivery(DELETING, "a", "A", nanos(1), nanos(2), Result.OK, SUM));

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void a_payload_that_is_not_what_was_written_is_altered() {
        well(PLAIN, "a", 1, 1, 2);
        deliveries.set(0, new Delivery(PLAIN, "a", "A", nanos(1), nanos(2), Result.OK, SUM + 1));

        assertThat(violations()).containsExactly(Kind.ALTERED);
    }

    @ParameterizedTest
    @ValueSource(ints = {NEW, RETRY, OutboxRow.DEAD, 9})
    void a_delivered_event_must_be_done(int status) {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 2, Result.OK);
        row(PLAIN, "a", status);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void a_delivered_event_must_have_a_row_unless_it_is_deleted() {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 2, Result.OK);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void a_delivered_event_must_have_no_row_where_it_is_deleted() {
        well(DELETING, "a", 1, 1, 2);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void poison_must_end_dead() {
        booked(DELETING, "a", 1, Fate.POISON);
        delivered(DELETING, "a", "A", 1, 2, Result.FAILED);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void poison_cannot_be_delivered() {
        poison(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "A", 3, 4, Result.OK);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void a_row_that_somebody_holds_is_still_leased() {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 2, Result.OK);
        rows.add(new OutboxRow(PLAIN, "a", OutboxRow.DONE, "A"));

        assertThat(violations()).containsExactly(Kind.STILL_LEASED);
    }

    @Test
    void what_a_process_kept_is_leaked() {
        leaks.add("A kept thread:outbox-poller-1");

        assertThat(violations()).containsExactly(Kind.LEAKED);
    }

    @Test
    void an_event_that_begins_before_the_one_before_it_is_out_of_order() {
        well(ORDERED, "second", 2, 1, 2);
        well(ORDERED, "first", 1, 3, 4);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void an_event_that_begins_before_the_one_before_it_has_ended_is_out_of_order() {
        well(ORDERED, "first", 1, 1, 3);
        well(ORDERED, "second", 2, 2, 4);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER, Kind.OVERLAPPING);
    }

    @Test
    void an_event_that_begins_while_the_one_before_it_still_fails_is_out_of_order() {
        booked(ORDERED, "first", 1, Fate.WELL);
        delivered(ORDERED, "first", "A", 1, 2, Result.FAILED);
        delivered(ORDERED, "first", "A", 5, 6, Result.OK);
        row(ORDERED, "first", OutboxRow.DONE);
        well(ORDERED, "second", 2, 3, 4);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void an_event_that_begins_before_the_one_before_it_is_dead_is_out_of_order() {
        poison(ORDERED, "first", 1, 1, 4);
        well(ORDERED, "second", 2, 3, 5);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER, Kind.OVERLAPPING);
    }

    @Test
    void events_of_one_transaction_have_an_order() {
        bookings.add(new Booking(ORDERED, "a", "account", 1, 0, Fate.WELL, SUM));
        bookings.add(new Booking(ORDERED, "b", "account", 1, 1, Fate.WELL, SUM));
        delivered(ORDERED, "b", "A", 1, 2, Result.OK);
        delivered(ORDERED, "a", "A", 2, 3, Result.OK);
        row(ORDERED, "a", OutboxRow.DONE);
        row(ORDERED, "b", OutboxRow.DONE);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void faults_do_not_excuse_a_wrong_order() {
        fault(null, 0, 10);
        well(ORDERED, "second", 2, 1, 2);
        well(ORDERED, "first", 1, 3, 4);

        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void other_accounts_and_outboxes_without_order_have_none() {
        well(ORDERED, "a", 2, 1, 2);
        bookings.set(0, new Booking(ORDERED, "a", "other", 2, 0, Fate.WELL, SUM));
        well(ORDERED, "b", 1, 1, 2);
        well(PLAIN, "c", 2, 1, 2);
        well(PLAIN, "d", 1, 1, 2);

        assertThat(violations()).isEmpty();
    }

    @Test
    void a_repeat_is_no_second_beginning() {
        fault("A", 2, 2);
        well(ORDERED, "first", 1, 1, 2);
        well(ORDERED, "second", 2, 3, 4);
        delivered(ORDERED, "first", "B", 5, 6, Result.OK);

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 1));
    }

    @Test
    void a_delivery_after_a_success_is_a_repeat() {
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 3, 4, Result.OK);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void a_delivery_beside_another_is_a_repeat_even_if_that_fails() {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 3, Result.FAILED);
        delivered(PLAIN, "a", "B", 2, 4, Result.OK);
        row(PLAIN, "a", OutboxRow.DONE);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void a_delivery_after_one_that_was_cut_off_is_explained_by_the_death_of_its_process() {
        booked(PLAIN, "a", 1, Fate.WELL);
        delivered(PLAIN, "a", "A", 1, 2, Result.CUT_OFF);
        delivered(PLAIN, "a", "B", 6, 7, Result.OK);
        row(PLAIN, "a", OutboxRow.DONE);
        fault("A", 2, 2);

        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 1));
    }

    @Test
    void the_fault_of_another_process_explains_nothing() {
        fault("C", 1, 5);
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 3, 4, Result.OK);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void a_fault_that_began_long_after_the_success_explains_nothing() {
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 3, 4, Result.OK);
        fault(null, 7, 8);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void a_fault_that_ended_longer_ago_than_a_lease_explains_nothing() {
        fault(null, 1, 2);
        well(PLAIN, "a", 1, 8, 9);
        delivered(PLAIN, "a", "B", 10, 11, Result.OK);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void an_outcome_that_had_to_wait_for_a_locked_row_is_lost_with_its_process() {
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 20, 21, Result.OK);
        fault("A", 6, 6);
        assertThat(violations()).containsExactly(Kind.REPEATED);

        faults.add(new FaultWindow("lock rows", null, Set.of("other"), nanos(2), nanos(5), false));
        assertThat(violations()).containsExactly(Kind.REPEATED);

        faults.add(new FaultWindow("lock rows", null, Set.of("a"), nanos(2), nanos(5), false));
        assertThat(verdict()).isEqualTo(new Verdict(List.of(), 1));
    }

    @Test
    void a_fault_that_only_delays_excuses_no_repeat() {
        faults.add(new FaultWindow("read-only", null, null, nanos(1), nanos(4), false));
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 3, 4, Result.OK);

        assertThat(violations()).containsExactly(Kind.REPEATED);
    }

    @Test
    void a_row_that_was_locked_excuses_its_own_repeat_and_no_other() {
        faults.add(new FaultWindow("locked", null, Set.of("a"), nanos(1), nanos(5), true));
        well(PLAIN, "a", 1, 1, 2);
        delivered(PLAIN, "a", "B", 6, 7, Result.OK);
        well(PLAIN, "b", 2, 1, 2);
        delivered(PLAIN, "b", "B", 6, 7, Result.OK);

        assertThat(verdict().violations())
                .singleElement()
                .satisfies(repeat -> assertThat(repeat.what()).startsWith("b OK on B"));
        assertThat(verdict().explainedRepeats()).isOne();
    }

    @Test
    void a_verdict_tells_what_it_has_found() {
        booked(PLAIN, "a", 1, Fate.WELL);
        row(PLAIN, "a", OutboxRow.DONE);

        Verdict verdict = verdict();

        assertThat(verdict.isGood()).isFalse();
        assertThat(verdict.count(Kind.LOST)).isOne();
        assertThat(verdict.count(Kind.INVENTED)).isZero();
        assertThat(verdict.summary()).isEqualTo("LOST 1");
        assertThat(verdict.describe()).startsWith("LOST: ").contains("eventId=a");
    }

    private void held(String id, long n, Fate fate) {
        bookings.add(new Booking(ORDERED, id, "account", n, 0, fate, SUM, true));
    }

    @Test
    void what_follows_a_dead_event_that_holds_its_account_begins_after_a_person_has_discarded_it() {
        held("dead", 1, Fate.POISON);
        delivered(ORDERED, "dead", "A", 1, 2, Result.FAILED);
        row(ORDERED, "dead", OutboxRow.DEAD);
        well(ORDERED, "next", 2, 10, 11);
        discards.put("dead", nanos(9));

        assertThat(violations()).isEmpty();

        discards.put("dead", nanos(12));
        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);

        discards.clear();
        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void an_event_that_was_cured_must_be_delivered_before_what_follows_it() {
        held("cured", 1, Fate.CURABLE);
        delivered(ORDERED, "cured", "A", 1, 2, Result.FAILED);
        delivered(ORDERED, "cured", "A", 5, 6, Result.OK);
        row(ORDERED, "cured", OutboxRow.DONE);
        well(ORDERED, "next", 2, 7, 8);
        assertThat(violations()).isEmpty();

        well(ORDERED, "early", 3, 3, 4);
        assertThat(violations()).containsExactly(Kind.OUT_OF_ORDER);
    }

    @Test
    void an_event_that_was_cured_and_never_delivered_is_lost() {
        held("cured", 1, Fate.CURABLE);
        delivered(ORDERED, "cured", "A", 1, 2, Result.FAILED);
        row(ORDERED, "cured", OutboxRow.DEAD);

        assertThat(violations()).containsExactly(Kind.LOST, Kind.WRONG_STATE);
    }

    @Test
    void an_event_of_nobody_has_no_order() {
        well(ORDERED, "first", 1, 5, 6);
        bookings.add(new Booking(ORDERED, "loose", null, 2, 0, Fate.WELL, SUM, false));
        delivered(ORDERED, "loose", "A", 1, 9, Result.OK);
        row(ORDERED, "loose", OutboxRow.DONE);

        assertThat(violations()).isEmpty();
    }

    @Test
    void a_repetition_that_overlaps_a_later_event_needs_a_fault() {
        well(ORDERED, "first", 1, 1, 2);
        delivered(ORDERED, "first", "A", 20, 23, Result.OK);
        well(ORDERED, "second", 2, 21, 22);
        assertThat(violations()).containsExactly(Kind.REPEATED, Kind.OVERLAPPING);

        fault("A", 20, 23);
        assertThat(violations()).isEmpty();
    }
}
