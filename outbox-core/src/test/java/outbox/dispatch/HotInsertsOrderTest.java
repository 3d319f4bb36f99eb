package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.lease.LeaseBook;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.keyed;

/** Which events are ours after an insert or a claim in order, and of which the table must be asked. */
class HotInsertsOrderTest {

    private final OrderedParts parts = new OrderedParts();
    private final LeaseBook leases = parts.leases;

    @Test
    void the_first_event_of_a_key_is_ours_and_its_turn_is_known() {
        insert(keyed("a", "1"), keyed("b", "2"));

        assertThat(leases.isHeld("a")).isTrue();
        assertThat(leases.isTurnUnknown("a")).isFalse();
        assertThat(leases.isTurnUnknown("b")).isFalse();
    }

    @Test
    void an_event_behind_another_one_of_ours_is_ours_and_its_turn_is_not_known() {
        insert(keyed("a", "1"));
        insert(keyed("b", "1"));

        assertThat(leases.isHeld("b")).isTrue();
        assertThat(leases.isTurnUnknown("b")).isTrue();
    }

    @Test
    void of_one_key_in_one_batch_only_the_first_has_a_known_turn() {
        insert(keyed("a", "1"), keyed("b", "1"), keyed("c", "2"));

        assertThat(List.of("a", "b", "c").stream().filter(leases::isTurnUnknown))
                .containsExactly("b");
    }

    @Test
    void the_turns_of_events_without_a_key_are_known_however_many_come_together() {
        insert(Events.event("a"), Events.event("b"));

        assertThat(leases.isHeld("b")).isTrue();
        assertThat(leases.isTurnUnknown("a")).isFalse();
        assertThat(leases.isTurnUnknown("b")).isFalse();
    }

    @Test
    void an_event_behind_one_of_somebody_else_is_not_ours() {
        parts.table.add(KeyedEvents.rowOf("1", "a"));
        insert(keyed("b", "1"));

        assertThat(leases.isHeld("b")).isFalse();
        assertThat(leases.isTurnUnknown("b")).isFalse();
        assertThat(leases.committed("b")).isFalse();
    }

    @Test
    void the_turn_of_a_claimed_event_is_not_known_until_it_is_said_that_all_before_it_are_in_line() {
        leases.claimed("a", null, parts.nanos.getAsLong(), false);

        assertThat(leases.isHeld("a")).isTrue();
        assertThat(leases.isTurnUnknown("a")).isTrue();
        leases.turnIsKnown("a");
        assertThat(leases.isTurnUnknown("a")).isFalse();
        leases.turnIsKnown("unknown");
        assertThat(leases.isHeld("unknown")).isFalse();
    }

    @Test
    void an_event_that_is_claimed_again_knows_as_much_of_its_turn_as_before() {
        leases.claimed("a", null, parts.nanos.getAsLong(), false);
        leases.claimed("b", null, parts.nanos.getAsLong(), true);
        leases.claimedAgain("a", parts.nanos.getAsLong());
        leases.claimedAgain("b", parts.nanos.getAsLong());

        assertThat(leases.isTurnUnknown("a")).isTrue();
        assertThat(leases.isTurnUnknown("b")).isFalse();
    }

    private void insert(EventEnvelope... events) {
        parts.flow.hotPath().insert(parts.table, null, List.of(events));
    }
}
