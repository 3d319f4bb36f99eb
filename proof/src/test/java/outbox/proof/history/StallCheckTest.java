package outbox.proof.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.Violation.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** Times are in seconds; the lease is one, and a healthy process is given two more, also after a fault. */
class StallCheckTest {

    private static final String OUTBOX = "outbox";
    private static final String ORDERED = "ordered";
    private static final long SUM = 17;

    private final List<Booking> bookings = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Flight> flights = new ArrayList<>();
    private final List<OutboxRow> rows = new ArrayList<>();
    private final List<FaultWindow> faults = new ArrayList<>();

    private List<Violation> violations() {
        return HistoryChecker.check(new History(
                        Map.of(
                                OUTBOX,
                                new OutboxRules(false, false, false),
                                ORDERED,
                                new OutboxRules(true, false, false)),
                        Duration.ofSeconds(1),
                        bookings,
                        deliveries,
                        flights,
                        rows,
                        Consumption.NONE,
                        faults,
                        Map.of(),
                        List.of()))
                .violations();
    }

    private List<Kind> kinds() {
        return violations().stream().map(Violation::kind).toList();
    }

    private void booked(String id) {
        bookings.add(new Booking(OUTBOX, id, "account", bookings.size(), 0, Fate.WELL, SUM));
        rows.add(new OutboxRow(OUTBOX, id, OutboxRow.DONE, null));
    }

    private void inFlight(String id, String process, long from, long to) {
        flights.add(new Flight(OUTBOX, id, process, nanos(from), nanos(to)));
    }

    private void delivered(String id, String process, long start, long end, Result result) {
        deliveries.add(new Delivery(OUTBOX, id, process, nanos(start), nanos(end), result, SUM));
    }

    /** Taken at the first time, its listener ended at the second, recorded at the third. */
    private void recorded(String id, long taken, long ended, long recorded) {
        booked(id);
        inFlight(id, "A", taken, recorded);
        delivered(id, "A", taken, ended, Result.OK);
    }

    private void fault(String process, Set<String> events, long from, long to) {
        faults.add(new FaultWindow("fault", process, events, nanos(from), nanos(to), false));
    }

    private static long nanos(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void an_outcome_that_is_recorded_in_time_is_good() {
        recorded("a", 1, 2, 5);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void an_outcome_that_is_not_recorded_in_time_is_a_stall_though_others_are() {
        recorded("slow", 1, 2, 6);
        recorded("b", 2, 3, 4);
        recorded("c", 3, 5, 6);

        assertThat(violations()).singleElement().satisfies(stall -> {
            assertThat(stall.kind()).isEqualTo(Kind.STALLED);
            assertThat(stall.what()).startsWith("slow OK on A").contains("was not recorded");
        });
    }

    @Test
    void a_failure_that_is_not_recorded_is_a_stall() {
        booked("a");
        inFlight("a", "A", 1, 9);
        delivered("a", "A", 1, 2, Result.FAILED);
        delivered("a", "B", 10, 11, Result.OK);

        assertThat(kinds()).contains(Kind.STALLED);
    }

    /** Its completer is dead and its leases are renewed; then a fault ends it, and others deliver its events: nothing else would tell. */
    @Test
    void a_later_fault_that_explains_the_repeat_does_not_excuse_the_stall() {
        booked("a");
        inFlight("a", "A", 1, 20);
        delivered("a", "A", 1, 2, Result.OK);
        delivered("a", "B", 22, 23, Result.OK);
        faults.add(new FaultWindow("pause process", null, nanos(20), nanos(20)));

        assertThat(kinds()).contains(Kind.STALLED).doesNotContain(Kind.REPEATED);
    }

    @Test
    void a_process_that_dies_while_its_listener_runs_has_not_stalled() {
        booked("a");
        inFlight("a", "A", 1, 20);
        delivered("a", "A", 1, 20, Result.CUT_OFF);
        delivered("a", "B", 22, 23, Result.OK);
        faults.add(new FaultWindow("kill process", "A", nanos(20), nanos(20)));

        assertThat(kinds()).isEmpty();
    }

    @Test
    void a_process_that_has_events_and_runs_no_listener_has_stalled() {
        booked("a");
        inFlight("a", "A", 1, 5);
        delivered("a", "B", 6, 7, Result.OK);

        assertThat(violations()).singleElement().satisfies(stall -> {
            assertThat(stall.kind()).isEqualTo(Kind.STALLED);
            assertThat(stall.what()).startsWith("A/outbox did nothing with the 1 event(s)");
        });
    }

    @Test
    void a_queue_that_is_long_but_moves_has_not_stalled() {
        recorded("a", 1, 3, 3);
        recorded("b", 1, 6, 6);
        recorded("c", 1, 8, 8);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void a_listener_may_run_for_longer_than_the_lease() {
        recorded("a", 1, 12, 13);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void what_hinders_the_process_is_not_counted() {
        recorded("a", 1, 2, 9);
        fault("A", null, 3, 5); // and two seconds more

        assertThat(kinds()).isEmpty();
    }

    @Test
    void what_is_left_beside_all_faults_is_counted_once() {
        recorded("a", 1, 2, 12);
        fault(null, null, 3, 6);
        fault("A", null, 4, 5);
        fault(null, null, 9, 9);

        assertThat(kinds()).isEmpty();

        recorded("b", 1, 2, 13);

        assertThat(kinds()).contains(Kind.STALLED);
    }

    @Test
    void what_hinders_another_process_excuses_nothing() {
        recorded("a", 1, 2, 9);
        fault("B", null, 2, 9);

        assertThat(kinds()).contains(Kind.STALLED);
    }

    @Test
    void a_locked_row_excuses_that_it_was_not_recorded_but_not_that_others_were_not() {
        recorded("locked", 1, 2, 9);
        recorded("b", 2, 3, 9);
        fault(null, Set.of("locked"), 1, 8);

        assertThat(violations()).extracting(Violation::what).anyMatch(what -> what.startsWith("b OK on A"));
        assertThat(violations()).extracting(Violation::what).noneMatch(what -> what.startsWith("locked"));
    }

    @Test
    void what_waits_behind_listeners_that_do_not_return_must_be_left_to_others_after_half_a_minute() {
        recorded("hangs", 1, 50, 50);
        booked("behind");
        delivered("behind", "B", 40, 41, Result.OK);
        inFlight("behind", "A", 2, 35);
        assertThat(kinds()).isEmpty();

        inFlight("behind", "A", 2, 36);
        assertThat(violations()).singleElement().satisfies(stall -> {
            assertThat(stall.kind()).isEqualTo(Kind.STALLED);
            assertThat(stall.what()).contains("behind").contains("was not begun and not left to others");
        });
    }

    @Test
    void an_event_that_was_begun_late_was_not_kept_from_others_for_nothing() {
        recorded("hangs", 1, 50, 50);
        booked("behind");
        inFlight("behind", "A", 2, 47);
        delivered("behind", "A", 46, 47, Result.OK);

        assertThat(kinds()).isEmpty();
    }

    @Test
    void an_event_that_waits_for_the_one_before_it_could_not_begin() {
        for (String id : List.of("hangs", "next")) {
            bookings.add(new Booking(ORDERED, id, "account", bookings.size(), 0, Fate.WELL, SUM));
            rows.add(new OutboxRow(ORDERED, id, OutboxRow.DONE, null));
            flights.add(new Flight(ORDERED, id, "A", nanos(1), nanos(50)));
        }
        deliveries.add(new Delivery(ORDERED, "hangs", "A", nanos(1), nanos(50), Result.OK, SUM));
        deliveries.add(new Delivery(ORDERED, "next", "B", nanos(51), nanos(52), Result.OK, SUM));

        assertThat(kinds()).isEmpty();
    }
}
