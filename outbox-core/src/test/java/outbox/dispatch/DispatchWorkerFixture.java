package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import outbox.EventListener;
import outbox.internal.EventNames;
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
    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    final RecordingTrigger trigger = new RecordingTrigger();
    CompletionBuffer completions = new CompletionBuffer(100, 0);
    final List<String> delivered = new ArrayList<>();
    final RecordingStore store = new RecordingStore().add("a", "b");
    NodeLeases leases = Leases.off();
    int coldCapacity = 100;

    @Nullable
    OrderedStore order;

    BooleanSupplier canWork = () -> true;
    private @Nullable EventFlow flow;
    int maxAttempts = 3;
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
            assertThat(inFlight().tryAcquire(event.envelope().eventId())).isTrue();
            assertThat(queue().offer(event.source(), event)).isTrue();
        }
        queue().close();
    }

    void record() {
        completions.close();
        OpenCompletions open = new OpenCompletions(new CompletionReport(flow(), metrics), 100);
        new Completer(completions, open, new CompletionWriter(connections, marks(), time -> true, open), time -> true)
                .run();
    }

    DeliveryRun worker(DefaultListenerRegistry registry, List<EventInterceptor> interceptors) {
        return new DeliveryRun(
                flow(),
                new EventDelivery(registry, interceptors, EventNames.PLAIN),
                new FailureJudge(retryPolicy, maxAttempts, ErrorSummary.withoutContent(), clock),
                completions,
                forcedStop);
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
                            EventNames.PLAIN),
                    leases,
                    () -> canWork.getAsBoolean());
        }
        return flow;
    }

    FairEventQueue queue() {
        return flow().parts().queue();
    }

    InFlightEvents inFlight() {
        return flow().parts().inFlight();
    }

    PollRequests pollRequests() {
        return flow().parts().pollRequests();
    }

    /** How outcomes are written; without leases unless a test says otherwise. */
    CompletionWriter.Marks marks() {
        return new StoreMarks(store, CompletionMode.MARK_DONE);
    }
}
