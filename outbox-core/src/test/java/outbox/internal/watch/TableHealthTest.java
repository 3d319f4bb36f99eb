package outbox.internal.watch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxException;
import outbox.model.OutboxFigures;
import outbox.model.OutboxHealth;
import outbox.model.Relaying;
import outbox.testsupport.Await;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class TableHealthTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final ScriptedTable table = new ScriptedTable();
    private final ManualNanos nanos = new ManualNanos();

    private OutboxHealth health(Relaying here) {
        PendingGate gate = PendingGate.open();
        try (TableWatch watch = new TableWatch(
                table, StubConnections.autoCommitting(), gate, new ManualClock("2026-01-01T00:00:00Z"), nanos)) {
            return health(watch, gate, here);
        }
    }

    private static OutboxHealth health(TableWatch watch, PendingGate gate, Relaying here) {
        return new TableHealth("orders", LIMIT, watch, gate)
                .with(new OutboxHealth(List.of(), List.of(), new OutboxFigures(null, null, 0, here, null)));
    }

    @Test
    void an_old_event_that_nobody_delivers_is_a_problem() {
        table.oldest = LIMIT.plusSeconds(1);
        table.nodes = OptionalInt.of(0);
        OutboxHealth health = health(Relaying.UNKNOWN);
        assertThat(health.problems())
                .containsExactly(
                        "An event in table orders has been due for 601 s, longer than 600 s, and nobody delivers: start a process that does");
        assertThat(health.figures().relaying()).isEqualTo(Relaying.NOBODY);
    }

    @Test
    void where_nobody_can_know_who_delivers_the_age_alone_decides() {
        table.oldest = LIMIT.plusSeconds(1);
        OutboxHealth health = health(Relaying.UNKNOWN);
        assertThat(health.problems()).singleElement().asString().contains("unknown whether anybody delivers");
        assertThat(health.figures().relaying()).isEqualTo(Relaying.UNKNOWN);
        table.oldest = LIMIT;
        assertThat(health(Relaying.UNKNOWN).healthy()).isTrue();
    }

    @Test
    void an_old_event_that_somebody_will_deliver_is_a_warning() {
        table.oldest = LIMIT.plusSeconds(1);
        table.nodes = OptionalInt.of(0);
        assertThat(health(Relaying.SOMEBODY).problems()).as("this process does").isEmpty();
        table.nodes = OptionalInt.of(1);
        OutboxHealth health = health(Relaying.UNKNOWN);
        assertThat(health.problems()).isEmpty();
        assertThat(health.warnings()).singleElement().asString().contains("although somebody delivers");
        assertThat(health.figures().relaying()).isEqualTo(Relaying.SOMEBODY);
    }

    @Test
    void nobody_is_needed_where_nothing_is_due_and_missed_as_soon_as_something_is() {
        table.nodes = OptionalInt.of(0);
        assertThat(health(Relaying.UNKNOWN).warnings()).isEmpty();
        table.oldest = Duration.ZERO;
        OutboxHealth health = health(Relaying.UNKNOWN);
        assertThat(health.warnings()).containsExactly("Nobody delivers the events of table orders, and one is due");
        assertThat(health.healthy()).isTrue();
    }

    @Test
    void a_table_that_cannot_be_asked_is_a_warning_and_a_problem_when_that_lasts() {
        table.failure = new OutboxException("look", new SQLException("away", "08001"));
        PendingGate gate = PendingGate.open();
        try (TableWatch watch = new TableWatch(
                table, StubConnections.autoCommitting(), gate, new ManualClock("2026-01-01T00:00:00Z"), nanos)) {
            OutboxHealth health = health(watch, gate, Relaying.UNKNOWN);
            assertThat(health.figures().table()).isNull();
            assertThat(health.figures().relaying()).isEqualTo(Relaying.UNKNOWN);
            assertThat(health.healthy()).isTrue();
            assertThat(health.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("Table orders could not be asked what waits in it: ");

            nanos.advance(LIMIT.plusSeconds(1));
            Await.until(() -> !health(watch, gate, Relaying.UNKNOWN).healthy());
        }
    }
}
