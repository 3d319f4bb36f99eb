package outbox.dispatch;

import java.util.List;
import java.util.function.BooleanSupplier;
import outbox.internal.lease.LeaseBook;
import outbox.internal.text.EventNames;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.testsupport.ManualClock;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

/** Makes flows of events for tests. */
final class Flows {

    /** Nothing is done in the table, and every suspect may begin. */
    static final LeaseWork NO_WORK = new LeaseWork() {

        @Override
        public void releaseGivenBack() {}

        @Override
        public boolean writeDown(String eventId, int attempts) {
            return true;
        }

        @Override
        public void renewSoon() {}
    };

    /** Everything is unroutable, and fails. */
    static final Listeners NO_LISTENERS = new Listeners(new DefaultListenerRegistry(), List.of(), EventNames.PLAIN);

    private Flows() {}

    static EventFlow of(FlowSettings settings, LeaseBook leases, BooleanSupplier canWork) {
        return of(settings, leases, canWork, NO_WORK);
    }

    static EventFlow of(FlowSettings settings, LeaseBook leases, BooleanSupplier canWork, LeaseWork leaseWork) {
        return new EventFlow(settings, leases, canWork, () -> {}, leaseWork);
    }

    /** Without order, with room for ten of each kind. */
    static EventFlow without(SignallingTracker tracker, LeaseBook leases, MetricsExporter metrics, ManualClock clock) {
        FlowSettings settings = new FlowSettings(
                10,
                10,
                Long.MAX_VALUE,
                tracker,
                null,
                StubConnections.autoCommitting(),
                metrics,
                clock,
                EventNames.PLAIN,
                Flows.NO_LISTENERS);
        return of(settings, leases, () -> true);
    }
}
