package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.EventMetrics.Path;
import outbox.spi.MetricsExporter;
import outbox.testsupport.Await;
import outbox.testsupport.Events;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** How long events have waited when their listeners are called: since the commit if they came hot, since their creation if they came cold. */
@Timeout(30)
class WaitBeforeDeliveryTest {

    private final ManualNanos nanos = new ManualNanos();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final RecordingStore store = new RecordingStore();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final CountDownLatch firstRuns = new CountDownLatch(1);
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);
    private final Semaphore delivered = new Semaphore(0);
    private OutboxDispatcher dispatcher;

    @AfterEach
    void stop() {
        firstMayEnd.countDown();
        dispatcher.close();
    }

    @Test
    void a_hot_event_has_waited_since_its_commit() throws Exception {
        start(metrics);
        write("busy").commit();
        Await.opened(firstRuns);
        StubTransaction later = write("b");
        nanos.advance(Duration.ofSeconds(60)); // before the commit, which does not count
        later.commit();
        nanos.advance(Duration.ofMillis(1500));
        firstMayEnd.countDown();
        delivered.acquire(2);

        assertThat(metrics.waits).containsOnlyKeys(Path.HOT).containsEntry(Path.HOT, Duration.ofMillis(1500));
    }

    @Test
    void a_cold_event_has_waited_since_its_creation() throws Exception {
        start(metrics);
        firstMayEnd.countDown();
        clock.advance(Duration.ofMinutes(3));
        dispatcher.enqueueCold(Events.cold("a"));
        delivered.acquire();

        assertThat(metrics.waits).containsOnlyKeys(Path.COLD).containsEntry(Path.COLD, Duration.ofMinutes(3));
    }

    @Test
    void a_retry_and_an_event_from_the_future_tell_no_nonsense() throws Exception {
        start(metrics);
        firstMayEnd.countDown();
        dispatcher.enqueueCold(new QueuedEvent(event("a"), QueuedEvent.Source.COLD, 1));
        delivered.acquire();
        assertThat(metrics.waits).isEmpty();

        EventEnvelope future = EventEnvelope.builder(TYPE)
                .occurredAt(clock.instant().plusSeconds(5))
                .payloadJson("{}")
                .build();
        dispatcher.enqueueCold(new QueuedEvent(future, QueuedEvent.Source.COLD, 0));
        delivered.acquire();
        assertThat(metrics.waits).containsEntry(Path.COLD, Duration.ZERO);
    }

    @Test
    void nothing_is_remembered_of_events_that_have_left_or_if_nobody_asks() throws Exception {
        start(metrics);
        firstMayEnd.countDown();
        write("a").commit();
        delivered.acquire();
        dispatcher.close();
        assertThat(dispatcher.flow().intake().commitTimesKept()).isZero();

        start(MetricsExporter.NOOP);
        write("b").commit();
        assertThat(dispatcher.flow().intake().commitTimesKept()).isZero();
    }

    private StubTransaction write(String id) throws Exception {
        StubTransaction transaction = new StubTransaction();
        new OutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher)).writeAll(List.of(event(id)));
        return transaction;
    }

    private void start(MetricsExporter exporter) {
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    firstRuns.countDown();
                    Await.opened(firstMayEnd);
                    delivered.release();
                }))
                .workerCount(1)
                .completionLingerMs(0)
                .metrics(exporter)
                .clock(clock)
                .nanoTime(nanos)
                .build();
    }
}
