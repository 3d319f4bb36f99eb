package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.FailingMetrics;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static outbox.testsupport.Events.event;

class DispatcherWriterHookTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingMetrics hookMetrics = new RecordingMetrics();
    private final List<EventEnvelope> batch = List.of(event("a"), event("b"), event("c"));

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void committed_events_enter_the_hot_queue() {
        OutboxDispatcher dispatcher = dispatcher(10, metrics);
        new DispatcherWriterHook(dispatcher).afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(3, 0));
        assertThat(metrics.hotEnqueued).hasValue(3);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(metrics.events).hasSize(3).containsOnly("WRITTEN UserCreated");
        assertThat(log.at(Level.WARNING)).isEmpty();
    }

    @Test
    void events_that_were_not_committed_go_nowhere() {
        OutboxDispatcher dispatcher = dispatcher(10, metrics);
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);

        assertThat(hook.beforeWrite(batch)).isSameAs(batch);
        hook.afterWrite(batch);
        hook.afterRollback(batch);
        assertThat(metrics.depths).isEmpty();
    }

    @Test
    void no_exporter_is_one_that_ignores_everything() {
        OutboxDispatcher dispatcher = dispatcher(1, metrics);
        new DispatcherWriterHook(dispatcher, null).afterCommit(batch);

        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(metrics.events).isEmpty();
        assertThat(log.at(Level.WARNING)).hasSize(1);
    }

    @Test
    void a_refused_event_is_counted_and_logged_as_a_warning() {
        OutboxDispatcher dispatcher = dispatcher(1, metrics);
        new DispatcherWriterHook(dispatcher).afterCommit(batch);

        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(metrics.hotDropped).hasValue(2);
        assertThat(log.at(Level.WARNING)).hasSize(1);
        assertThat(log.at(Level.WARNING).get(0)).contains("Hot queue refused", "b", "stays in the table");
        dispatcher.close();
        assertThat(log.at(Level.WARNING))
                .last()
                .isEqualTo(
                        "1 more like it in the last minute: events refused by the hot queue, they stay in the table for"
                                + " the poller");
        assertThat(log.lines()).extracting(CapturedLog.Line::logger).containsOnly(DispatcherWriterHook.class.getName());
    }

    @Test
    void a_flood_of_refused_events_is_a_few_lines_with_numbers_and_all_are_counted() {
        ManualNanos nanos = new ManualNanos();
        int flood = 60_000;
        try (OutboxDispatcher dispatcher = builder(1, metrics).nanoTime(nanos).build()) {
            DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
            for (int i = 0; i < flood; i++) {
                hook.afterCommit(List.of(event("e" + i)));
                if (i == flood / 2) {
                    nanos.advance(Duration.ofMinutes(1));
                }
            }
            nanos.advance(Duration.ofSeconds(65));
            DispatcherPollerHandler handler = new DispatcherPollerHandler(dispatcher);
            handler.link().pollStarting();
            handler.link().pollFinished();
            assertThat(log.at(Level.WARNING)).hasSize(3);
        }

        assertThat(log.at(Level.WARNING))
                .satisfiesExactly(
                        first -> assertThat(first).contains("refused Event e1 ").doesNotContain("more like it"),
                        next -> assertThat(next).contains("refused Event e30001 ", "(29999 more like it"),
                        last -> assertThat(last).startsWith("29998 more like it"));
        assertThat(metrics.hotDropped).hasValue(flood - 1);
    }

    @Test
    void a_closed_dispatcher_refuses_everything_without_an_exception() {
        OutboxDispatcher dispatcher = dispatcher(10, metrics);
        dispatcher.close();
        new DispatcherWriterHook(dispatcher).afterCommit(batch);

        assertThat(metrics.hotDropped).hasValue(3);
    }

    @Test
    void a_shared_exporter_counts_each_event_once() {
        OutboxDispatcher dispatcher = dispatcher(2, metrics);
        new DispatcherWriterHook(dispatcher, metrics).afterCommit(batch);

        assertThat(metrics.hotEnqueued).hasValue(2);
        assertThat(metrics.hotDropped).hasValue(1);
    }

    @Test
    void an_exporter_of_its_own_counts_there_as_well() {
        OutboxDispatcher dispatcher = dispatcher(2, metrics);
        new DispatcherWriterHook(dispatcher, hookMetrics).afterCommit(batch);

        assertThat(hookMetrics.hotEnqueued).hasValue(2);
        assertThat(hookMetrics.hotDropped).hasValue(1);
        assertThat(metrics.hotEnqueued).hasValue(2);
        assertThat(metrics.hotDropped).hasValue(0);
    }

    @Test
    void an_exporter_that_throws_keeps_no_event_from_the_queue() {
        OutboxDispatcher dispatcher = dispatcher(2, metrics);
        new DispatcherWriterHook(dispatcher, new FailingMetrics()).afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(2, 0));
        assertThat(log.at(Level.WARNING)).anyMatch(line -> line.contains("Hot queue refused"));
    }

    @Test
    void a_tracker_that_throws_for_one_event_keeps_no_other_from_the_queue() {
        InFlightTracker tracker = new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                if (eventId.equals("b")) {
                    throw new IllegalStateException("tracker is broken");
                }
                return true;
            }

            @Override
            public void release(String eventId) {}
        };
        OutboxDispatcher dispatcher =
                builder(10, metrics).inFlightTracker(tracker).build();
        new DispatcherWriterHook(dispatcher).afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(2, 0));
        assertThat(metrics.hotDropped).hasValue(1);
        assertThat(log.lines()).anyMatch(line -> line.thrown() instanceof IllegalStateException);
    }

    @Test
    void announcements_are_forgotten_whether_the_queue_takes_refuses_or_is_closed() {
        OutboxDispatcher dispatcher = dispatcher(1, metrics);
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        hook.afterWrite(batch);
        assertThat(dispatcher.flow().intake().announcedCount()).isEqualTo(3);
        hook.afterCommit(batch);
        assertThat(dispatcher.flow().intake().announcedCount()).isZero();
        hook.afterWrite(batch);
        hook.afterRollback(batch);
        assertThat(dispatcher.flow().intake().announcedCount()).isZero();
        hook.afterWrite(batch);
        dispatcher.close();
        hook.afterCommit(batch);

        assertThat(dispatcher.flow().intake().announcedCount()).isZero();
    }

    @Test
    void parts_are_required() {
        assertThatNullPointerException().isThrownBy(() -> new DispatcherWriterHook(null));
        assertThatNullPointerException().isThrownBy(() -> new DispatcherWriterHook(null, metrics));
    }

    private static OutboxDispatcher dispatcher(int hotCapacity, MetricsExporter metrics) {
        return builder(hotCapacity, metrics).build();
    }

    /** Without workers, so that what is queued stays there to be seen. */
    private static OutboxDispatcher.Builder builder(int hotCapacity, MetricsExporter metrics) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(new RecordingStore())
                .listenerRegistry(new DefaultListenerRegistry())
                .hotQueueCapacity(hotCapacity)
                .metrics(metrics)
                .workerCount(0);
    }
}
