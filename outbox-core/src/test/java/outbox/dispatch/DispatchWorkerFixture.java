package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import outbox.EventListener;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.CompletionWriter;
import outbox.internal.outcome.Marks;
import outbox.internal.outcome.Recorder;
import outbox.internal.outcome.StoreMarks;
import outbox.internal.outcome.Verdicts;
import outbox.internal.queue.FairQueue;
import outbox.internal.text.EventNames;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OrderedStore;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;

/**
 * A worker's loop, to be run in the test's own thread: what is queued is processed until the closed queue is empty; then what it handed
 * on is recorded.
 */
abstract class DispatchWorkerFixture {

    final CapturedLog log = new CapturedLog();
    final RecordingMetrics metrics = new RecordingMetrics();
    final SignallingTracker tracker = new SignallingTracker();
    final StubConnections connections = StubConnections.autoCommitting();
    final CountDownLatch forcedStop = new CountDownLatch(1);
    private final DeliveryRun.Shift shift = new DeliveryRun.Shift() {

        @Override
        public boolean isForcedToStop() {
            return forcedStop.getCount() == 0;
        }

        @Override
        public void begins() {}

        @Override
        public void ends() {}
    };
    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    final RecordingTrigger trigger = new RecordingTrigger();
    CompletionBuffer completions = new CompletionBuffer(100, 0);
    final List<String> delivered = new ArrayList<>();
    final RecordingStore store = new RecordingStore().add("a", "b");
    LeaseBook leases = TestLeases.off();
    int coldCapacity = 100;

    @Nullable
    OrderedStore order;

    BooleanSupplier canWork = () -> true;
    private @Nullable EventFlow flow;
    int maxAttempts = 3;
    int crashBudget = 3;
    RetryPolicy retryPolicy = attempts -> 1_000;

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    void run(EventListener listener, QueuedEvent... events) {
        run(new DefaultListenerRegistry().register(TYPE, listener), List.of(), events);
    }

    void run(DefaultListenerRegistry registry, List<EventInterceptor> interceptors, QueuedEvent... events) {
        queue(events);
        worker(registry, interceptors).run();
        record();
    }

    void queue(QueuedEvent... events) {
        for (QueuedEvent event : events) {
            assertThat(tracker.tryAcquire(event.envelope().eventId())).isTrue();
            assertThat(queue().offer(event)).isTrue();
        }
        queue().close();
    }

    void record() {
        completions.close();
        new Recorder(
                        completions,
                        100,
                        told -> new CompletionWriter(connections, marks(), time -> true, told),
                        time -> true,
                        new CompletionReport(flow(), metrics))
                .run();
    }

    DeliveryRun worker(DefaultListenerRegistry registry, List<EventInterceptor> interceptors) {
        Verdicts verdicts = new Verdicts(new Verdicts.Rules(
                retryPolicy::computeDelayMs,
                60_000,
                maxAttempts,
                crashBudget,
                UnroutableEventException.class::isInstance,
                ErrorSummary.withoutContent()::of,
                clock));
        return Flows.worker(
                flow(), new Flows.Work(registry, interceptors, verdicts, completions, shift, clock, leases));
    }

    /** Made when it is first asked for, so that a test can say before what it is like. */
    EventFlow flow() {
        if (flow == null) {
            flow = Flows.of(
                    new FlowSettings(
                            100,
                            coldCapacity,
                            Long.MAX_VALUE,
                            tracker,
                            order,
                            connections,
                            metrics,
                            clock,
                            EventNames.PLAIN,
                            Flows.NO_LISTENERS),
                    leases,
                    () -> canWork.getAsBoolean(),
                    leaseWork());
        }
        return flow;
    }

    /** What is done in the table about leases; nothing unless a test says otherwise. */
    LeaseWork leaseWork() {
        return Flows.NO_WORK;
    }

    FairQueue<QueuedEvent> queue() {
        return flow().parts().queues().queue();
    }

    Intake intake() {
        return flow().parts().intake();
    }

    PollRequests pollRequests() {
        return flow().parts().pollRequests();
    }

    /** How outcomes are written; without leases unless a test says otherwise. */
    Marks marks() {
        return new StoreMarks(store, leases::ownerId, false, CompletionWriter.TIME_LIMIT);
    }
}
