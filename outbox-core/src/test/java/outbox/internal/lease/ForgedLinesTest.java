package outbox.internal.lease;

import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.spi.LeaseStore.Suspicion;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/** An event id comes from whoever writes, and must not look like an entry of the log. */
class ForgedLinesTest {

    private static final String FORGED = "a\nSEVERE: forged";

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final ManualNanos nanos = new ManualNanos();
    private final StubConnections connections = StubConnections.transactional();
    private final LeaseBook leases = TestLeases.on(nanos);
    private final LeaseKeeper keeper = TestLeases.keeper(leases, store.leases(), connections);

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void when_a_delivery_cannot_be_written_down() {
        leases.claimed(FORGED, new Suspicion(0, false), leases.now(), true);
        connections.failToOpen(10);

        assertThat(keeper.writeDown(FORGED, 0)).isFalse();
        assertThat(log.at(Level.WARNING))
                .containsExactly(
                        "Cannot write down that event a\\nSEVERE: forged is delivered after its lease had expired;"
                                + " it waits");
    }

    @Test
    void when_a_lease_is_lost() {
        TestLeases.insert(leases, store.leases(), FORGED);
        leases.committed(FORGED);
        store.takeOver(FORGED, "node-2");
        nanos.advance(TestLeases.TIMEOUT.dividedBy(4));

        keeper.renew();
        assertThat(log.at(Level.FINE)).containsExactly("The lease of event a\\nSEVERE: forged is not ours any more");
    }
}
