package outbox.internal.lease;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.testsupport.ManualNanos;

import static org.assertj.core.api.Assertions.assertThat;

class OldestHeldTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final ManualNanos nanos = new ManualNanos();
    private final LeaseBook leases = new LeaseBook(nanos);
    private final OldestHeld oldest = new OldestHeld(leases);

    OldestHeldTest() {
        leases.begin("node", Duration.ofHours(1));
    }

    @Test
    void the_oldest_of_what_is_held_counts_and_only_as_long_as_it_is() {
        assertThat(oldest.createdAt()).isNull();
        hold("b", NOW);
        hold("a", NOW.minusSeconds(5));
        hold("c", NOW.plusSeconds(5));
        assertThat(oldest.createdAt()).isEqualTo(NOW.minusSeconds(5));

        leases.forget("a");
        assertThat(oldest.createdAt()).isEqualTo(NOW);
    }

    @Test
    void many_are_looked_through_at_most_four_times_a_second() {
        for (int i = 0; i <= OldestHeld.FEW; i++) {
            hold("e" + i, NOW);
        }
        assertThat(oldest.createdAt()).isEqualTo(NOW);
        hold("older", NOW.minusSeconds(1));
        nanos.advance(Duration.ofNanos(OldestHeld.PAUSE_NANOS - 1));
        assertThat(oldest.createdAt()).isEqualTo(NOW);

        nanos.advance(Duration.ofNanos(1));
        assertThat(oldest.createdAt()).isEqualTo(NOW.minusSeconds(1));
    }

    private void hold(String id, Instant createdAt) {
        leases.claimed(id, null, nanos.getAsLong(), true);
        leases.createdAt(id, createdAt);
    }
}
