package outbox.dispatch;

import java.time.Duration;
import outbox.spi.LeaseStore;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

/** Leases of a process called node-1, or none. */
final class Leases {

    static final String NODE = "node-1";
    static final Duration TIMEOUT = Duration.ofSeconds(40);

    private Leases() {}

    static NodeLeases off() {
        return new NodeLeases(null, StubConnections.autoCommitting(), System::nanoTime);
    }

    static NodeLeases on(LeaseStore store, ManualNanos nanos) {
        NodeLeases leases = new NodeLeases(store, StubConnections.autoCommitting(), nanos);
        leases.begin(NODE, TIMEOUT);
        return leases;
    }
}
