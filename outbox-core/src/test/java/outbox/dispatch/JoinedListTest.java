package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.event;

/** When events are looked for, by a clock that the test sets. */
class JoinedListTest {

    private static final long LEASE = ms(1_000);

    private final JoinedList list = new JoinedList(3, 100_000);

    private static long ms(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private JoinedEvent join(String id, long since) {
        JoinedEvent joined = new JoinedEvent(event(id), since, true, since + LEASE);
        list.add(joined);
        return joined;
    }

    private List<String> due(long now) {
        return list.beginLook(now).stream()
                .map(look -> look.joined().eventId() + (look.last() ? " last" : ""))
                .toList();
    }

    @Test
    void without_a_word_looks_come_after_50_ms_and_twice_as_long_each_time_up_to_the_end_of_the_lease() {
        join("a", 0);
        List<Long> looks = new ArrayList<>();
        List<String> last = List.of();
        for (long now = 0; now <= ms(5_000) && list.size() > 0; now += ms(10)) {
            for (JoinedList.Look look : list.beginLook(now)) {
                looks.add(TimeUnit.NANOSECONDS.toMillis(now));
                if (look.last()) {
                    list.forget(look.joined());
                    last = List.of(look.joined().eventId());
                }
            }
        }
        assertThat(looks).containsExactly(50L, 150L, 350L, 750L, 1_000L);
        assertThat(last).containsExactly("a");
        assertThat(list.untilNextLook(ms(5_000))).isEqualTo(-1);
    }

    @Test
    void a_word_makes_its_events_due_at_once_and_after_an_early_one_the_looks_begin_anew() {
        JoinedEvent a = join("a", 0);
        join("b", 0);
        list.look(List.of(a), false, ms(10));
        assertThat(list.untilNextLook(ms(10))).isZero();
        assertThat(due(ms(10))).containsExactly("a");
        assertThat(due(ms(55))).containsExactly("b");
        assertThat(due(ms(60))).containsExactly("a");

        list.look(List.of(a), false, ms(700));
        assertThat(due(ms(700))).contains("a");
        assertThat(list.untilNextLook(ms(700))).isEqualTo(ms(50));
    }

    @Test
    void a_word_that_comes_while_the_table_is_read_is_not_lost() {
        JoinedEvent a = join("a", 0);
        assertThat(due(ms(50))).containsExactly("a");
        list.look(List.of(a), false, ms(51));

        assertThat(due(ms(51))).containsExactly("a");
    }

    @Test
    void after_a_rollback_there_is_one_look() {
        JoinedEvent a = join("a", 0);
        list.look(List.of(a), true, ms(10));

        assertThat(due(ms(10))).containsExactly("a last");
    }

    @Test
    void forgetting_an_event_does_not_forget_the_one_that_was_written_after_it_with_the_same_id() {
        JoinedEvent rolledBack = join("a", 0);
        JoinedEvent again = join("a", ms(10));
        list.forget(rolledBack);
        list.look(List.of(rolledBack), true, ms(20));

        assertThat(list.size()).isEqualTo(1);
        assertThat(due(ms(20))).isEmpty();
        assertThat(due(ms(60))).containsExactly("a");
        list.forget(again);
        assertThat(list.bytesLeft()).isEqualTo(100_000);
    }

    @Test
    void an_event_whose_id_was_written_again_is_neither_looked_for_nor_found_nor_brought_back() {
        JoinedEvent rolledBack = join("a", 0);
        list.writtenAgain("a");
        list.look(List.of(rolledBack), false, ms(10));

        assertThat(list.size()).isZero();
        assertThat(list.found(rolledBack)).isFalse();
        JoinedEvent replaced = join("b", 0);
        JoinedEvent again = join("b", ms(10));
        assertThat(list.found(replaced)).isFalse();
        assertThat(list.found(again)).isTrue();
    }

    @Test
    void what_may_be_committed_is_taken_in_as_due_as_long_as_there_is_room() {
        JoinedEvent first = new JoinedEvent(event("a"), 0, true, LEASE);
        assertThat(list.addDue(first, ms(10))).isTrue();
        join("b", 0);
        join("c", 0);
        assertThat(list.addDue(new JoinedEvent(event("d"), 0, true, LEASE), ms(10)))
                .isFalse();

        assertThat(due(ms(10))).containsExactly("a");
        assertThat(due(ms(60))).contains("a");
        assertThat(list.size()).isEqualTo(3);
    }

    @Test
    void a_word_brings_back_what_was_forgotten_for_one_look_but_not_what_was_found_or_has_no_room() {
        JoinedEvent forgotten = join("forgotten", 0);
        JoinedEvent found = join("found", 0);
        list.forget(forgotten);
        assertThat(list.found(found)).isTrue();
        assertThat(list.found(found)).as("a second time").isFalse();
        list.look(List.of(forgotten, found), false, 2 * LEASE);
        assertThat(due(2 * LEASE)).containsExactly("forgotten last");

        list.forget(forgotten);
        join("x", 0);
        join("y", 0);
        join("z", 0);
        list.look(List.of(forgotten), false, 2 * LEASE);
        assertThat(list.size()).isEqualTo(3);
    }

    @Test
    void room_is_counted_in_events_and_in_bytes() {
        long before = list.bytesLeft();
        JoinedEvent a = join("a", 0);
        assertThat(list.room()).isEqualTo(2);
        assertThat(list.bytesLeft()).isEqualTo(before - a.event.sizeInMemory());
        list.forget(a);
        list.forget(a);

        assertThat(list.room()).isEqualTo(3);
        assertThat(list.bytesLeft()).isEqualTo(before);
    }
}
