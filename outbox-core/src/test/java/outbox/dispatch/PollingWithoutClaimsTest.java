package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** Without claim locking the poller sees the same rows again and again until they are done. */
@Timeout(30)
class PollingWithoutClaimsTest {

    private static final int EVENTS = 100;

    private final RecordingStore store = new RecordingStore();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final CountDownLatch all = new CountDownLatch(EVENTS);

    @ParameterizedTest
    @ValueSource(ints = {0, EVENTS})
    void a_slow_listener_and_a_quick_poller_deliver_each_event_exactly_once(int hotEvents) throws Exception {
        OutboxDispatcher dispatcher = dispatcher();
        try (OutboxPoller poller = poller(dispatcher)) {
            write(dispatcher, hotEvents);
            poller.start();
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            poller.poll();
        }
        dispatcher.close();

        assertThat(delivered).hasSize(EVENTS).doesNotHaveDuplicates();
        assertThat(store.count(EventStatus.DONE)).isEqualTo(EVENTS);
    }

    @Test
    void events_that_fail_once_are_delivered_again_by_the_poller() throws Exception {
        List<String> failed = new CopyOnWriteArrayList<>();
        OutboxDispatcher dispatcher = builder()
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                    if (!failed.contains(event.eventId())) {
                        failed.add(event.eventId());
                        throw new IllegalStateException("once");
                    }
                    delivered.add(event.eventId());
                    all.countDown();
                }))
                .retryPolicy(attempts -> 0)
                .build();
        try (OutboxPoller poller = poller(dispatcher)) {
            write(dispatcher, EVENTS);
            poller.start();
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        }
        dispatcher.close();

        assertThat(failed).hasSize(EVENTS).doesNotHaveDuplicates();
        assertThat(delivered).hasSize(EVENTS).doesNotHaveDuplicates();
        assertThat(store.count(EventStatus.DONE)).isEqualTo(EVENTS);
    }

    private void write(OutboxDispatcher dispatcher, int hotEvents) throws Exception {
        for (int i = 0; i < EVENTS; i++) {
            StubTransaction transaction = new StubTransaction();
            OutboxWriter writer = i < hotEvents
                    ? new OutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher))
                    : new OutboxWriter(transaction, store);
            writer.write(event("event-" + i));
            transaction.commit();
        }
    }

    private OutboxDispatcher dispatcher() {
        return builder()
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, this::work))
                .build();
    }

    /** The time is the point here: events are running and queued while several polls go by. */
    private void work(EventEnvelope event) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(10);
        delivered.add(event.eventId());
        all.countDown();
    }

    private OutboxDispatcher.Builder builder() {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .drainTimeoutMs(20_000)
                .workerCount(1);
    }

    private OutboxPoller poller(OutboxDispatcher dispatcher) {
        return OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .intervalMs(50)
                .build();
    }
}
