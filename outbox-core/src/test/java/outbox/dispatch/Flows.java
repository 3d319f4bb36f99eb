package outbox.dispatch;

import java.util.function.BooleanSupplier;
import outbox.internal.EventNames;
import outbox.spi.MetricsExporter;
import outbox.testsupport.ManualClock;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

/** Makes flows of events for tests. */
final class Flows {

    private Flows() {}

    static EventFlow of(FlowSettings settings, NodeLeases leases, BooleanSupplier canWork) {
        return new EventFlow(settings, leases, new EventFlow.Surroundings() {

            @Override
            public boolean canWork() {
                return canWork.getAsBoolean();
            }

            @Override
            public void hurry() {}
        });
    }

    /** Without order, with room for ten of each kind. */
    static EventFlow without(SignallingTracker tracker, NodeLeases leases, MetricsExporter metrics, ManualClock clock) {
        FlowSettings settings = new FlowSettings(
                10,
                10,
                Long.MAX_VALUE,
                tracker,
                null,
                StubConnections.autoCommitting(),
                metrics,
                clock,
                EventNames.PLAIN);
        return of(settings, leases, () -> true);
    }
}
