package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore.Held;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.KeyedEvents.keyed;

/** Which events are ours after an insert or a claim in order, and of which the table must be asked. */
class NodeLeasesOrderTest {

    private final OrderedParts parts = new OrderedParts();
    private final NodeLeases leases = parts.leases;

    @Test
    void the_first_event_of_a_key_is_ours_and_sure() {
        insert(keyed("a", "1"), keyed("b", "2"));

        assertThat(leases.held("a")).isEqualTo(new Held("a", 0));
        assertThat(leases.isUnsure("a")).isFalse();
        assertThat(leases.isUnsure("b")).isFalse();
    }

    @Test
    void an_event_behind_another_one_of_ours_is_ours_and_unsure() {
        insert(keyed("a", "1"));
        insert(keyed("b", "1"));

        assertThat(leases.held("b")).isNotNull();
        assertThat(leases.isUnsure("b")).isTrue();
    }

    @Test
    void of_one_key_in_one_batch_only_the_first_is_sure() {
        insert(keyed("a", "1"), keyed("b", "1"), keyed("c", "2"), keyed("d", "1"));

        assertThat(List.of("a", "b", "c", "d").stream().filter(leases::isUnsure))
                .containsExactly("b", "d");
    }

    @Test
    void events_without_a_key_are_sure_however_many_come_together() {
        insert(Events.event("a"), Events.event("b"));

        assertThat(leases.held("b")).isNotNull();
        assertThat(leases.isUnsure("a")).isFalse();
        assertThat(leases.isUnsure("b")).isFalse();
    }

    @Test
    void an_event_behind_one_of_somebody_else_is_not_ours() {
        parts.table.add(KeyedEvents.rowOf("1", "a"));
        insert(keyed("b", "1"));

        assertThat(leases.held("b")).isNull();
        assertThat(leases.isUnsure("b")).isFalse();
        assertThat(leases.committed("b")).isFalse();
    }

    @Test
    void nothing_is_inserted_in_order_while_leases_are_off() {
        assertThatThrownBy(() -> Leases.off().insertOrdered(parts.table.ordered(), null, List.of(keyed("a", "1"))))
                .hasMessage("Leases are off");
        assertThat(parts.table.calls()).isEmpty();
    }

    @Test
    void a_claimed_event_is_unsure_until_it_is_said_that_all_before_it_are_in_line() {
        leases.claimedUnsure("a", 2, parts.nanos.getAsLong());

        assertThat(leases.held("a")).isEqualTo(new Held("a", 2));
        assertThat(leases.isUnsure("a")).isTrue();
        leases.sure("a");
        assertThat(leases.isUnsure("a")).isFalse();
        leases.sure("unknown");
        assertThat(leases.held("unknown")).isNull();
    }

    @Test
    void an_event_that_is_claimed_again_is_as_unsure_as_before() {
        leases.claimedUnsure("a", 0, parts.nanos.getAsLong());
        leases.claimed("b", 0, parts.nanos.getAsLong());
        leases.claimedAgain("a", 1, parts.nanos.getAsLong());
        leases.claimedAgain("b", 1, parts.nanos.getAsLong());

        assertThat(leases.isUnsure("a")).isTrue();
        assertThat(leases.isUnsure("b")).isFalse();
    }

    private void insert(EventEnvelope... events) {
        leases.insertOrdered(parts.table.ordered(), null, List.of(events));
    }
}
