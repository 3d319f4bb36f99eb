package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** The writer's thread is held up between its commit and the hot queue, and the poller is quicker. */
@Timeout(30)
class LateWriterTest {

    private final RecordingStore store = new RecordingStore().add("a");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);
    private final List<EventEnvelope> written = List.of(event("a"));
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                delivered.add(received.eventId());
                running.countDown();
                finish.await();
            }))
            .inFlightTracker(tracker)
            .metrics(metrics)
            .build();
    private final DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
    private final DispatcherPollerHandler poller = new DispatcherPollerHandler(dispatcher);

    @AfterEach
    void stop() {
        finish.countDown();
        dispatcher.close();
    }

    @Test
    void an_event_that_the_poller_has_delivered_before_is_not_delivered_again() throws Exception {
        finish.countDown();
        hook.afterWrite(written);
        poller.handle(event("a"), 0);
        assertThat(tracker.nextReleased()).isEqualTo("a");

        hook.afterCommit(written);
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_event_that_the_poller_is_delivering_is_not_queued_again() {
        hook.afterWrite(written);
        poller.handle(event("a"), 0);
        Await.opened(running);

        hook.afterCommit(written);
        finish.countDown();
        dispatcher.close();

        assertThat(delivered).containsExactly("a");
        assertThat(metrics.hotDropped).hasValue(0);
    }

    @Test
    void a_replayed_event_comes_through_after_the_late_writer_was_turned_away() throws Exception {
        finish.countDown();
        hook.afterWrite(written);
        poller.handle(event("a"), 0);
        assertThat(tracker.nextReleased()).isEqualTo("a");
        hook.afterCommit(written);

        poller.handle(event("a"), 0);
        dispatcher.close();

        assertThat(delivered).containsExactly("a", "a");
    }

    @Test
    void a_rolled_back_event_is_forgotten() throws Exception {
        finish.countDown();
        hook.afterWrite(written);
        hook.afterRollback(written);

        // The same id in a second transaction, which commits.
        dispatcher.enqueueHot(new QueuedEvent(event("a"), QueuedEvent.Source.HOT, 0));
        assertThat(tracker.nextReleased()).isEqualTo("a");
        dispatcher.enqueueHot(new QueuedEvent(event("a"), QueuedEvent.Source.HOT, 0));
        dispatcher.close();

        assertThat(delivered).containsExactly("a", "a");
    }
}
