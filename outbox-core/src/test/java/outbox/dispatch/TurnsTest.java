package outbox.dispatch;

import java.sql.SQLException;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.internal.EventNames;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.coldOf;

class TurnsTest {

    private final CapturedLog log = new CapturedLog();
    private final StubConnections connections = StubConnections.transactional();
    private final OrderedParts parts = new OrderedParts();
    private final Turns turns = new Turns(parts.leases, parts.table.ordered(), connections, EventNames.PLAIN);
    private final QueuedEvent second = coldOf("1", "b");

    TurnsTest() {
        parts.table.add(KeyedEvents.rowOf("1", "a"), KeyedEvents.rowOf("1", "b"));
    }

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void without_a_store_that_keeps_order_it_is_everybodys_turn() {
        parts.leases.claimedUnsure("b", 0, parts.nanos.getAsLong());

        assertThat(new Turns(parts.leases, null, connections, EventNames.PLAIN).hasCome(second))
                .isTrue();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void the_table_is_not_asked_for_an_event_that_is_sure() {
        parts.leases.claimed("b", 0, parts.nanos.getAsLong());

        assertThat(turns.hasCome(second)).isTrue();
        assertThat(connections.journal()).isEmpty();
    }

    @Test
    void an_unsure_event_has_its_turn_when_the_table_says_so() {
        parts.leases.claimedUnsure("b", 0, parts.nanos.getAsLong());
        parts.table.markDone(null, "a");

        assertThat(turns.hasCome(second)).isTrue();
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void an_unsure_event_does_not_have_its_turn_while_an_earlier_one_is_unfinished() {
        parts.leases.claimedUnsure("b", 0, parts.nanos.getAsLong());

        assertThat(turns.hasCome(second)).isFalse();
        assertThat(log.at(Level.FINE))
                .containsExactly(
                        "Event b (Order/UserCreated) is not the first of its key;" + " it is left to the poller");
    }

    @Test
    void it_is_nobodys_turn_when_the_table_cannot_be_asked() {
        parts.leases.claimedUnsure("b", 0, parts.nanos.getAsLong());
        connections.failToOpen(1);
        assertThat(turns.hasCome(second)).isFalse();
        parts.table.forgetTurns(true);
        assertThat(turns.hasCome(second)).isFalse();

        assertThat(log.at(Level.WARNING))
                .hasSize(2)
                .allMatch(line -> line.equals(
                        "Cannot ask whether it is the turn of" + " Event b (Order/UserCreated); it is left alone"));
        assertThat(log.lines().get(0).thrown()).isInstanceOf(SQLException.class);
        assertThat(connections.journal()).contains("rollback");
    }
}
