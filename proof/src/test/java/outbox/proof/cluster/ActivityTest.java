package outbox.proof.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.proof.history.Delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The judge of the fail-over tests must be able to find someone guilty. */
class ActivityTest {

    @Test
    void one_after_the_other_is_no_overlap() {
        Activity activity = activity(List.of(held(10), held(20), lost(30)), List.of(lost(15), held(25), held(40)));

        assertThat(activity.tenures()).isEqualTo(2);
        assertThat(activity.overlaps()).isZero();
    }

    @Test
    void a_yes_for_two_nodes_in_turns_is_an_overlap() {
        assertThat(activity(List.of(held(10), held(30)), List.of(held(20))).overlaps())
                .isEqualTo(1);
    }

    @Test
    void a_tenure_ends_with_a_no_and_may_begin_anew() {
        Activity activity = activity(List.of(held(10), lost(20), held(50)), List.of(held(30), lost(40)));

        assertThat(activity.tenures()).isEqualTo(3);
        assertThat(activity.overlaps()).isZero();
    }

    @Test
    void the_vacancy_lasts_until_the_next_tenure_begins() {
        Activity activity = activity(List.of(held(10), lost(20)), List.of(held(45)));

        assertThat(activity.longestVacancy(List.of(15L))).isEqualTo(Duration.ofNanos(31));
        assertThatThrownBy(() -> activity.longestVacancy(List.of(60L)))
                .hasMessageContaining("no node became the active one");
    }

    @Test
    void deliveries_after_the_last_proof_are_measured_and_those_without_any_refused() {
        assertThat(delivering(70).longestRemainder()).isEqualTo(Duration.ofNanos(71 - 10));
        assertThat(delivering(10).longestRemainder()).isEqualTo(Duration.ofNanos(1));
        assertThatThrownBy(() -> delivering(5).longestRemainder()).hasMessageContaining("never was the active one");
    }

    private static Activity delivering(long nanos) {
        return new Activity(List.of(new Activity.Witness(flat(List.of(held(10))), List.of(delivery(nanos + 1)))));
    }

    private static Delivery delivery(long start) {
        return new Delivery(Cluster.OUTBOX, "e1", "node", start, start, Delivery.Result.OK, 0);
    }

    @SafeVarargs
    private static Activity activity(List<List<LockJournal.Entry>>... nodes) {
        List<Activity.Witness> witnesses = new ArrayList<>();
        for (List<List<LockJournal.Entry>> answers : nodes) {
            witnesses.add(new Activity.Witness(flat(answers), List.of()));
        }
        return new Activity(witnesses);
    }

    private static List<LockJournal.Entry> flat(List<List<LockJournal.Entry>> answers) {
        return answers.stream().flatMap(List::stream).toList();
    }

    private static List<LockJournal.Entry> held(long asked) {
        return List.of(entry(asked, RecordedRelayLock.ASKED), entry(asked + 1, RecordedRelayLock.HELD));
    }

    private static List<LockJournal.Entry> lost(long nanos) {
        return List.of(entry(nanos, RecordedRelayLock.NOT_HELD));
    }

    private static LockJournal.Entry entry(long nanos, String text) {
        return new LockJournal.Entry(nanos, text);
    }
}
