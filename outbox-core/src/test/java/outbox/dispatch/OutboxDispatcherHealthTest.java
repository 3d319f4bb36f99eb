package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.internal.lease.TestLeases;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.NamedThreads;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;
import outbox.util.DaemonThreadFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** Who cannot deliver or record says so, and keeps no event from others. */
@Timeout(20)
class OutboxDispatcherHealthTest {

    /** So short that leases are looked after at once. */
    private static final Duration SHORT = Duration.ofMillis(80);

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final SignallingTracker tracker = new SignallingTracker();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    private OutboxDispatcher.Builder builder() {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {}))
                .inFlightTracker(tracker)
                .workerCount(2);
    }

    /** Threads of that duty end before they have begun. */
    private OutboxDispatcher without(String lost) {
        return builder()
                .threads(duty -> duty.equals(lost) ? stillborn(duty) : new DaemonThreadFactory(duty + "-"))
                .build();
    }

    private static ThreadFactory stillborn(String duty) {
        return loop -> new Thread(() -> {}, duty + "-stillborn");
    }

    private static void awaitUnhealthy(OutboxDispatcher dispatcher, int problems) {
        while (dispatcher.health().problems().size() < problems) {
            Thread.onSpinWait();
        }
    }

    @Test
    void a_dispatcher_whose_threads_run_is_healthy_and_so_is_a_closed_one() {
        OutboxDispatcher dispatcher = builder().build();
        assertThat(dispatcher.health().healthy()).isTrue();
        dispatcher.claimsAs(TestLeases.NODE, SHORT);
        assertThat(dispatcher.health().problems()).isEmpty();
        dispatcher.close();

        assertThat(dispatcher.health().healthy()).isTrue();
    }

    @Test
    void without_its_completer_nothing_is_taken_over() {
        try (OutboxDispatcher dispatcher = without("completer")) {
            dispatcher.claimsAs(TestLeases.NODE, TestLeases.TIMEOUT);
            awaitUnhealthy(dispatcher, 1);

            assertThat(dispatcher.health().problems()).containsExactly("Thread completer-stillborn does not run");
            assertThat(dispatcher.flow().claimable()).isZero();
            new DispatcherWriterHook(dispatcher).insert(store, null, List.of(event("a")));
            assertThat(store.lockedBy("a")).isNull();
        }
    }

    @Test
    void without_any_worker_leases_are_not_renewed_and_what_was_not_begun_is_given_back() throws Exception {
        try (OutboxDispatcher dispatcher = without("dispatcher")) {
            awaitUnhealthy(dispatcher, 2);
            dispatcher.flow().parts().leases().begin(TestLeases.NODE, SHORT);
            store.leases().insertLeased(null, List.of(event("a")), TestLeases.NODE);
            dispatcher.flow().parts().leases().claimed("a", null, System.nanoTime(), true);
            assertThat(dispatcher.enqueueHot(outbox.testsupport.Events.hot("a")))
                    .isTrue();
            dispatcher.claimsAs(TestLeases.NODE, SHORT);

            assertThat(tracker.nextReleased()).isEqualTo("a");
        }
        assertThat(store.lockedBy("a")).isNull();
        assertThat(store.leaseCalls()).noneMatch(call -> call.startsWith("lease.renew"));
    }

    @Test
    void with_one_worker_left_it_goes_on_and_says_what_is_missing() throws Exception {
        int[] made = new int[1];
        ThreadFactory firstIsLost = loop ->
                made[0]++ == 0 ? new Thread(() -> {}, "lost") : new DaemonThreadFactory("kept-").newThread(loop);
        try (OutboxDispatcher dispatcher = builder()
                .threads(duty -> duty.equals("dispatcher") ? firstIsLost : new DaemonThreadFactory(duty))
                .build()) {
            awaitUnhealthy(dispatcher, 1);
            EventEnvelope event = event("a");
            dispatcher.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0));

            assertThat(tracker.nextReleased()).isEqualTo("a");
            assertThat(dispatcher.flow().claimable()).isPositive();
            assertThat(dispatcher.health().problems()).containsExactly("Thread lost does not run");
        }
    }

    @Test
    void a_dispatcher_whose_threads_cannot_be_started_leaves_none_behind() {
        ThreadFactory exhausted = loop -> {
            throw new OutOfMemoryError("unable to create native thread");
        };
        OutboxDispatcher.Builder builder = builder()
                .threads(duty -> duty.equals("dispatcher") ? exhausted : new DaemonThreadFactory("left-over-"));

        assertThatThrownBy(builder::build).isInstanceOf(OutOfMemoryError.class);
        assertThat(NamedThreads.lasting("left-over-")).isEmpty();
    }
}
