package outbox.cluster.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.cluster.order.Delivery.Result;
import outbox.cluster.order.Violation.Kind;
import outbox.model.EventStatus;

import static org.assertj.core.api.Assertions.assertThat;

/** A checker that finds nothing proves nothing, so it is shown every kind of wrong. */
class OrderCheckerTest {

    private static final String KEY = "free-1";
    private static final String HELD_KEY = "held-1";

    private final List<CommittedEvent> events = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private final Map<String, Integer> discarded = new HashMap<>();

    @Test
    void events_one_after_another_are_in_order() {
        wrote("a", 1, 0).wrote("b", 1, 1).wrote("c", 2, 0);
        ran("a", 1, 2).ran("b", 3, 4).ran("c", 5, 6);

        assertThat(kinds()).isEmpty();
        assertThat(verdict().repeats()).isZero();
    }

    @Test
    void a_retry_that_the_next_event_waits_for_is_in_order_and_no_repeat() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        failed("a", 1, 2).ran("a", 3, 4).ran("b", 5, 6);

        assertThat(kinds()).isEmpty();
        assertThat(verdict().repeats()).isZero();
    }

    @Test
    void keys_may_overtake_each_other_and_events_without_a_key_may_run_whenever_they_like() {
        wrote("a", 1, 0);
        wrote(event("x", HELD_KEY, 1, Fate.WELL, EventStatus.DONE));
        wrote(event("loose1", null, 0, Fate.WELL, EventStatus.DONE));
        wrote(event("loose2", null, 0, Fate.WELL, EventStatus.DONE));
        ran("x", 1, 8).ran("a", 2, 7).ran("loose2", 3, 6).ran("loose1", 4, 5);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void an_event_that_begins_before_an_earlier_one_is_an_inversion() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("b", 1, 2).ran("a", 3, 4);

        assertThat(kinds()).containsExactly(Kind.INVERSION);
    }

    @Test
    void an_inversion_within_one_transaction_is_one_as_well() {
        wrote("a", 1, 0).wrote("b", 1, 1);
        ran("b", 1, 2).ran("a", 3, 4);

        assertThat(kinds()).containsExactly(Kind.INVERSION);
    }

    @Test
    void an_inversion_is_found_across_others_and_not_excused_by_a_fault() {
        wrote("a", 1, 0).wrote("b", 2, 0).wrote("c", 3, 0);
        ran("b", 1, 2).ran("c", 3, 4).ran("a", 5, 6);
        faults.add(new Fault("node", Fault.Kind.PAUSE, 0, 1_000_000));

        assertThat(kinds()).containsExactly(Kind.INVERSION, Kind.INVERSION);
    }

    @Test
    void an_event_that_overtakes_the_retry_of_an_earlier_one_is_too_early() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        failed("a", 1, 2).ran("b", 3, 4).ran("a", 5, 6);

        assertThat(kinds()).containsExactly(Kind.TOO_EARLY);
    }

    @Test
    void an_event_that_begins_while_an_earlier_one_runs_is_too_early_and_overlaps() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("a", 1, 3).ran("b", 2, 4);

        assertThat(kinds()).containsExactly(Kind.TOO_EARLY, Kind.OVERLAP);
    }

    @Test
    void an_overlap_of_a_later_retry_is_found() {
        wrote("a", 1, 0).wrote(event("b", KEY, 2, Fate.WELL, EventStatus.DONE));
        ran("a", 1, 2).failed("b", 3, 4).ran("b", 6, 9).ran("a", 7, 8);

        assertThat(kinds()).containsExactly(Kind.REPEAT, Kind.OVERLAP);
    }

    @Test
    void the_listener_of_a_paused_node_may_overlap_and_be_repeated() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("a", "paused", 1, 9).ran("a", 3, 4).ran("b", 5, 10);
        faults.add(new Fault("paused", Fault.Kind.PAUSE, at(2), at(8)));

        assertThat(kinds()).isEmpty();
        assertThat(verdict().repeats()).isEqualTo(1);
    }

    @Test
    void the_pause_of_another_node_excuses_nothing() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("a", "healthy", 1, 9).ran("a", 3, 4).ran("b", 5, 10);
        faults.add(new Fault("paused", Fault.Kind.PAUSE, at(2), at(8)));

        assertThat(kinds()).containsExactly(Kind.REPEAT, Kind.OVERLAP);
    }

    @Test
    void a_node_that_was_paused_may_begin_what_it_was_about_to_begin_and_nothing_else() {
        wrote("a", 1, 0);
        ran("a", 1, 2);
        faults.add(new Fault("paused", Fault.Kind.PAUSE, at(0), at(3)));
        Delivery late = delivery("a", "paused", 4, 5, Result.OK);
        deliveries.add(
                new Delivery("a", "paused", "1", 4, 5, at(3) + 10, at(3) + 20, late.idleSinceMillis(), Result.OK));
        assertThat(kinds()).isEmpty();
        assertThat(verdict().lateStarts()).isEqualTo(1);

        deliveries.set(1, new Delivery("a", "paused", "1", 4, 5, at(3) + 10, at(3) + 20, at(3) + 5, Result.OK));
        assertThat(kinds()).containsExactly(Kind.REPEAT);
    }

    @Test
    void a_repeat_without_a_fault_is_found() {
        wrote("a", 1, 0);
        ran("a", 1, 2).ran("a", 3, 4);

        assertThat(kinds()).containsExactly(Kind.REPEAT);
        assertThat(verdict().repeats()).isEqualTo(1);
    }

    @Test
    void two_nodes_that_try_an_event_at_the_same_time_are_a_repeat_even_if_the_first_one_fails() {
        wrote("a", 1, 0);
        failed("a", 1, 3).ran("a", 2, 4);

        assertThat(kinds()).containsExactly(Kind.REPEAT);
    }

    @Test
    void a_delivery_that_was_cut_off_by_a_kill_may_be_repeated() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        deliveries.add(delivery("a", "killed", 1, 2, Result.CUT_OFF));
        ran("a", 3, 4).ran("b", 5, 6);
        faults.add(new Fault("killed", Fault.Kind.KILL, at(2), at(2)));

        assertThat(kinds()).isEmpty();
        assertThat(verdict().repeats()).isEqualTo(1);
    }

    @Test
    void a_kill_long_after_the_delivery_excuses_no_repeat() {
        wrote("a", 1, 0);
        ran("a", "killed", 1, 2).ran("a", 3, 4);
        faults.add(new Fault("killed", Fault.Kind.KILL, at(2) + 60_000, at(2) + 60_000));

        assertThat(kinds()).containsExactly(Kind.REPEAT);
    }

    @Test
    void an_event_that_was_begun_by_a_killed_node_alone_is_lost() {
        wrote("a", 1, 0);
        deliveries.add(delivery("a", "killed", 1, 2, Result.CUT_OFF));
        faults.add(new Fault("killed", Fault.Kind.KILL, at(2), at(2)));

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_that_was_never_delivered_is_lost() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("b", 1, 2);

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_that_is_still_pending_is_lost() {
        wrote(event("a", KEY, 1, Fate.WELL, EventStatus.NEW));

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_whose_row_has_gone_is_lost() {
        wrote(event("a", KEY, 1, Fate.WELL, null));
        ran("a", 1, 2);

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_without_a_key_can_be_lost_as_well() {
        wrote(event("loose", null, 0, Fate.WELL, EventStatus.DONE));

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void an_event_that_should_be_delivered_and_is_dead_is_lost() {
        wrote(event("a", KEY, 1, Fate.WELL, EventStatus.DEAD));
        failed("a", 1, 2);

        assertThat(kinds()).containsExactly(Kind.LOST);
    }

    @Test
    void a_delivery_of_what_was_never_committed_is_invented() {
        wrote("a", 1, 0);
        ran("a", 1, 2).ran("rolled back", 3, 4);

        assertThat(kinds()).containsExactly(Kind.INVENTED);
    }

    @Test
    void where_a_dead_event_holds_nothing_the_next_one_follows_its_last_attempt() {
        wrote(event("a", KEY, 1, Fate.POISON, EventStatus.DEAD)).wrote("b", 2, 0);
        failed("a", 1, 2).failed("a", 3, 4).ran("b", 5, 6);
        assertThat(kinds()).isEmpty();

        failed("a", 7, 8);
        assertThat(kinds()).containsExactly(Kind.TOO_EARLY);
    }

    @Test
    void where_a_dead_event_holds_its_key_the_next_one_follows_its_discard() {
        wrote(event("a", HELD_KEY, 1, Fate.POISON, EventStatus.DEAD));
        wrote(event("b", HELD_KEY, 2, Fate.WELL, EventStatus.DONE));
        failed("a", 1, 2).ran("b", 5, 6);
        assertThat(kinds()).containsExactly(Kind.TOO_EARLY);

        discarded.put("a", 4);
        assertThat(kinds()).isEmpty();

        discarded.put("a", 7);
        assertThat(kinds()).containsExactly(Kind.TOO_EARLY);
    }

    @Test
    void where_a_dead_event_holds_its_key_the_next_one_follows_its_replay() {
        wrote(event("a", HELD_KEY, 1, Fate.CURABLE, EventStatus.DONE));
        wrote(event("b", HELD_KEY, 2, Fate.WELL, EventStatus.DONE));
        failed("a", 1, 2).ran("a", 5, 6).ran("b", 7, 8);

        assertThat(kinds()).isEmpty();
        assertThat(verdict().repeats()).isZero();
    }

    @Test
    void an_event_that_died_with_its_processes_and_never_began_holds_nobody_up() {
        wrote(event("a", KEY, 1, Fate.POISON, EventStatus.DEAD)).wrote("b", 2, 0);
        ran("b", 1, 2);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void a_violation_is_described_with_the_history_of_its_key() {
        wrote("a", 1, 0).wrote("b", 2, 0);
        ran("b", 1, 2).ran("a", 3, 4);

        assertThat(verdict().describe(history()))
                .contains("INVERSION", "History of " + KEY, KEY + " 1.0 a", "lines 3-4");
    }

    private OrderCheckerTest wrote(String eventId, long n, int index) {
        return wrote(new CommittedEvent(eventId, KEY, n, index, Fate.WELL, EventStatus.DONE));
    }

    private OrderCheckerTest wrote(CommittedEvent event) {
        events.add(event);
        return this;
    }

    private static CommittedEvent event(String eventId, String key, long n, Fate fate, EventStatus status) {
        return new CommittedEvent(eventId, key, n, 0, fate, status);
    }

    private OrderCheckerTest ran(String eventId, int start, int end) {
        return ran(eventId, "node", start, end);
    }

    private OrderCheckerTest ran(String eventId, String node, int start, int end) {
        deliveries.add(delivery(eventId, node, start, end, Result.OK));
        return this;
    }

    private OrderCheckerTest failed(String eventId, int start, int end) {
        deliveries.add(delivery(eventId, "node", start, end, Result.FAILED));
        return this;
    }

    private static Delivery delivery(String eventId, String node, int start, int end, Result result) {
        return new Delivery(eventId, node, "1", start, end, at(start), at(end), 0, result);
    }

    /** Lines are ten seconds apart, so that no fault is close to any other line. */
    private static long at(int line) {
        return line * 10_000L;
    }

    private History history() {
        return new History(events, deliveries, faults, discarded);
    }

    private Verdict verdict() {
        return OrderChecker.check(history());
    }

    private List<Kind> kinds() {
        return verdict().violations().stream().map(Violation::kind).toList();
    }
}
