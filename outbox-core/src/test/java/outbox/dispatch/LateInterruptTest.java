package outbox.dispatch;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.hot;

/** A listener with a watchdog of its own, which interrupts the worker when the listener has returned already. */
@Timeout(60)
class LateInterruptTest {

    private static final int EVENTS = 3_000;

    private final CapturedLog log = new CapturedLog();
    private final BlockingQueue<Thread> returning = new LinkedBlockingQueue<>();
    private final Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
    private final CountDownLatch recorded = new CountDownLatch(EVENTS);

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    /** Waits for a moment that is different each time, between the return of the listener and the next event. */
    private void bite() {
        try {
            for (long n = 0; ; n++) {
                Thread worker = returning.take();
                for (long spin = n % 97 * 20; spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                worker.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_watchdog_that_bites_after_the_listener_has_returned_repeats_nothing() throws Exception {
        RecordingStore store = new RecordingStore();
        RecordingMetrics counting = new RecordingMetrics() {
            @Override
            public void incrementDispatchSuccess() {
                recorded.countDown();
            }
        };
        Thread watchdog = new Thread(this::bite, "watchdog");
        watchdog.start();
        try (OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                    deliveries
                            .computeIfAbsent(event.eventId(), id -> new AtomicInteger())
                            .incrementAndGet();
                    returning.add(Thread.currentThread());
                }))
                .hotQueueCapacity(EVENTS)
                .workerCount(4)
                .completionLingerMs(0)
                .metrics(counting)
                .build()) {
            IntStream.range(0, EVENTS).forEach(i -> dispatcher.enqueueHot(hot("e" + i)));
            Await.opened(recorded);
        } finally {
            watchdog.interrupt();
            watchdog.join();
        }

        assertThat(deliveries).hasSize(EVENTS);
        assertThat(deliveries.values()).extracting(AtomicInteger::get).containsOnly(1);
    }
}
