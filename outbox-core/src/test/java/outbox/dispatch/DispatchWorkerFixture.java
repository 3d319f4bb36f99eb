package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import outbox.EventListener;
import outbox.internal.EventNames;
import outbox.registry.DefaultListenerRegistry;
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
    final FairEventQueue queue = new FairEventQueue(100, 100);
    final RecordingMetrics metrics = new RecordingMetrics();
    final SignallingTracker tracker = new SignallingTracker();
    final InFlightEvents inFlight = new InFlightEvents(tracker);
    final StubConnections connections = StubConnections.autoCommitting();
    final CountDownLatch forcedStop = new CountDownLatch(1);
    final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    PollRequests pollRequests = new PollRequests(queue::coldRemainingCapacity, () -> 100, clock);
    final RecordingTrigger trigger = new RecordingTrigger();
    CompletionBuffer completions = new CompletionBuffer(100, 0);
    final List<String> delivered = new ArrayList<>();
    final RecordingStore store = new RecordingStore().add("a", "b");
    NodeLeases leases = Leases.off();
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
            assertThat(inFlight.tryAcquire(event.envelope().eventId())).isTrue();
            assertThat(queue.offer(event.source(), event)).isTrue();
        }
        queue.close();
    }

    void record() {
        completions.close();
        OpenCompletions open = new OpenCompletions(
                new CompletionReport(inFlight, leases, metrics, pollRequests, keys(), returns()), 100);
        new Completer(completions, open, new CompletionWriter(connections, marks(), time -> true, open), time -> true)
                .run();
    }

    DispatchWorker worker(DefaultListenerRegistry registry, List<EventInterceptor> interceptors) {
        return new DispatchWorker(
                queue,
                keys(),
                turns(),
                new QueueDepthReporter(queue::hotDepth, queue::coldDepth, metrics),
                returns(),
                leases,
                new EventDelivery(registry, interceptors, EventNames.PLAIN),
                new FailureJudge(retryPolicy, maxAttempts, ErrorSummary.withoutContent(), clock),
                completions,
                pollRequests,
                EventNames.PLAIN,
                forcedStop);
    }

    Returns returns() {
        return new Returns(leases, inFlight, pollRequests);
    }

    /** The way into the queues; without order unless a test says otherwise. */
    KeyedQueue keys() {
        return Keys.without(queue, returns(), pollRequests);
    }

    /** Whose turn it is; everybody's unless a test says otherwise. */
    Turns turns() {
        return new Turns(leases, null, connections, EventNames.PLAIN);
    }

    /** How outcomes are written; without leases unless a test says otherwise. */
    CompletionWriter.Marks marks() {
        return new StoreMarks(store, CompletionMode.MARK_DONE);
    }
}
