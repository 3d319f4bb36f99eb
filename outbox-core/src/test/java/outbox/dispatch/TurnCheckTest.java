package outbox.dispatch;

import java.sql.SQLException;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.internal.text.EventNames;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.coldOf;

class TurnCheckTest {

    private final CapturedLog log = new CapturedLog();
    private final StubConnections connections = StubConnections.transactional();
    private final OrderedParts parts = new OrderedParts();
    private final TurnCheck turns =
            new TurnCheck(parts.table.ordered(), connections, EventNames.PLAIN, parts.leases, parts.requests);
    private final QueuedEvent second = coldOf("1", "b");

    TurnCheckTest() {
        parts.table.add(KeyedEvents.rowOf("1", "a"), KeyedEvents.rowOf("1", "b"));
        parts.leases.claimed("b", null, parts.nanos.getAsLong(), false);
    }

    @Test
    void the_table_is_not_asked_for_what_is_known() {
        parts.leases.turnIsKnown("b");

        assertThat(turns.isTurnOf(second)).isTrue();
        assertThat(connections.journal()).isEmpty();
    }

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void an_event_has_its_turn_when_the_table_says_so() {
        parts.table.markDone(null, "a");

        assertThat(turns.isTurnOf(second)).isTrue();
        assertThat(connections.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void an_event_does_not_have_its_turn_while_an_earlier_one_is_unfinished() {

        assertThat(turns.isTurnOf(second)).isFalse();
        assertThat(log.at(Level.FINE))
                .containsExactly(
                        "Event b (Order/UserCreated) is not the first of its key;" + " it is left to the poller");
    }

    @Test
    void it_is_nobodys_turn_when_the_table_cannot_be_asked() {
        connections.failToOpen(1);
        assertThat(turns.isTurnOf(second)).isFalse();
        parts.table.forgetTurns(true);
        assertThat(turns.isTurnOf(second)).isFalse();

        assertThat(log.at(Level.WARNING))
                .hasSize(2)
                .allMatch(line -> line.equals(
                        "Cannot ask whether it is the turn of" + " Event b (Order/UserCreated); it is left alone"));
        assertThat(log.lines().get(0).thrown()).isInstanceOf(SQLException.class);
        assertThat(connections.journal()).contains("rollback");
    }
}
