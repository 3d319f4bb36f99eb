package outbox.dispatch;

import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import outbox.internal.lease.LeaseBook;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Verdicts;
import outbox.internal.task.Alarms;
import outbox.internal.text.EventNames;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;
import outbox.util.DaemonThreadFactory;

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

    /** What a worker needs beside its flow. */
    record Work(
            DefaultListenerRegistry registry,
            List<EventInterceptor> interceptors,
            Verdicts verdicts,
            CompletionBuffer completions,
            DeliveryRun.Shift shift,
            Clock clock,
            LeaseBook leases) {}

    /** A worker whose listeners have no limits. */
    static DeliveryRun worker(EventFlow flow, Work work) {
        Listeners listeners = new Listeners(work.registry, work.interceptors, EventNames.PLAIN);
        DeliveryLookups lookups =
                new DeliveryLookups(new RecordingStore(), StubConnections.autoCommitting(), work.leases);
        Pausing pausing = new Pausing(new RecordingStore(), StubConnections.autoCommitting(), System::nanoTime);
        DeliverySteps steps = new DeliverySteps(new DeliverySteps.Parts(
                flow,
                listeners,
                work.completions,
                work.shift,
                pausing,
                new RunningDelivery.Surroundings(lookups, work.clock::instant)));
        Gates gates = new Gates(
                new Gates.Parts(
                        flow,
                        steps,
                        listeners,
                        work.completions,
                        work.shift,
                        flow.exporter(),
                        work.verdicts,
                        (delay, what) -> Alarms.Alarm.NONE,
                        System::nanoTime,
                        pausing.board(),
                        new DaemonThreadFactory("listener-")),
                new Gates.Defaults(null, null, Integer.MAX_VALUE, 100),
                work.registry);
        return new DeliveryRun(flow, listeners, gates, work.shift);
    }
}
