package outbox.internal.watch;

import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxFullException;
import outbox.WhenFull;
import outbox.testsupport.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PendingGateTest {

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    private PendingGate counting(int limit, WhenFull whenFull) {
        PendingGate gate = PendingGate.of(limit, whenFull, "orders");
        gate.watched();
        return gate;
    }

    @Test
    void it_closes_above_the_limit_and_opens_at_nine_tenths_of_it() {
        PendingGate gate = counting(100, WhenFull.REFUSE);
        gate.counted(100);
        gate.admit();
        gate.counted(101);
        assertThatThrownBy(gate::admit).isInstanceOf(OutboxFullException.class);
        gate.counted(91);
        assertThatThrownBy(gate::admit).isInstanceOf(OutboxFullException.class);
        gate.counted(90);
        gate.admit();
    }

    @Test
    void a_warning_is_told_once_and_again_after_it_was_over_and_lets_everybody_through() {
        PendingGate gate = counting(10, WhenFull.WARN);
        for (int count : new int[] {11, 10, 11, 9, 11}) {
            gate.counted(count);
            gate.admit();
        }
        assertThat(log.at(Level.WARNING))
                .hasSize(2)
                .allMatch(line -> line.equals(
                        "More than 10 events are pending in table orders, which is its limit; writes go on"));
        assertThat(gate.problem()).isNull();
        assertThat(gate.warning()).isEqualTo("More than 10 events are pending in table orders, and its limit is 10");
    }

    @Test
    void health_is_told_from_half_of_the_limit_on() {
        PendingGate gate = counting(11, WhenFull.REFUSE);
        gate.counted(5);
        assertThat(gate.warning()).isNull();
        gate.counted(6);
        assertThat(gate.warning()).isEqualTo("6 events are pending in table orders, and its limit is 11");
        assertThat(gate.problem()).isNull();
        gate.counted(12);
        assertThat(gate.warning()).isNull();
        assertThat(gate.problem()).startsWith("Writes to table orders are refused");
    }

    @Test
    void without_a_limit_it_is_open_and_has_nothing_to_say() {
        PendingGate gate = PendingGate.open();
        gate.admit();
        assertThat(gate.isLimited()).isFalse();
        assertThat(gate.enough()).isZero();
        assertThat(gate.isHalfFull()).isFalse();
        assertThat(gate.warning()).isNull();
    }

    @Test
    void a_limit_that_makes_no_sense_is_refused() {
        for (long limit : new long[] {-1, 0, 1_000_000_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PendingGate.of(limit, WhenFull.WARN, null))
                    .withMessageContaining("pendingLimit");
        }
    }
}
