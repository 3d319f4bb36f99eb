package outbox.dispatch;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Events;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.OrderedTable;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/** Several writers, four workers and a poller at the same time, with a listener that often fails: order holds all the same. */
@Timeout(60)
class OrderedDeliveryConcurrencyTest {

    private static final int WRITERS = 4;
    private static final int BATCHES = 120;
    private static final int KEYS = 25;

    private final Logger library = Logger.getLogger("outbox");
    private final OrderedTable table = new OrderedTable(Clock.systemUTC());
    private final long seed = Long.getLong("outbox.test.seed", System.nanoTime());
    private final AtomicInteger lastId = new AtomicInteger();
    private final AtomicInteger unfinished = new AtomicInteger(1);
    private final CountDownLatch allSucceeded = new CountDownLatch(1);
    private final Map<String, List<String>> succeeded = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final Queue<String> together = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void silenceTheLog() {
        library.setLevel(Level.OFF);
    }

    @AfterEach
    void letTheLogSpeak() {
        library.setLevel(null);
    }

    @Test
    void each_event_succeeds_once_and_in_the_order_of_its_key() throws Exception {
        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .listenerRegistry(
                        new DefaultListenerRegistry().register(KeyedEvents.AGGREGATE_TYPE, Events.TYPE, this::listen))
                .ordering(Ordering.PER_AGGREGATE)
                .workerCount(4)
                .hotQueueCapacity(50)
                .coldQueueCapacity(50)
                .retryPolicy(attempts -> 1)
                .maxAttempts(1_000)
                .build();
        OutboxPoller poller = OutboxPoller.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking("node-1", Duration.ofMinutes(5))
                .intervalMs(50)
                .build();
        poller.start();
        write(new DispatcherWriterHook(dispatcher));
        oneLess(); // all are written
        boolean inTime = allSucceeded.await(40, TimeUnit.SECONDS);
        poller.close();
        dispatcher.close();

        assertThat(inTime)
                .as("all succeeded, seed %s, %s are left", seed, unfinished)
                .isTrue();
        assertThat(together).as("ran together, seed %s", seed).isEmpty();
        for (int key = 0; key < KEYS; key++) {
            assertThat(succeeded.get("key-" + key))
                    .as("order of key-%s, seed %s", key, seed)
                    .isEqualTo(table.idsOf("key-" + key));
        }
        assertThat(table.ids()).allMatch(id -> table.status(id) == EventStatus.DONE && table.lockedBy(id) == null);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }

    private void write(DispatcherWriterHook hook) throws InterruptedException {
        List<Thread> writers = IntStream.range(0, WRITERS)
                .mapToObj(i -> new Thread(() -> write(hook, new Random(seed + i))))
                .toList();
        writers.forEach(Thread::start);
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private void write(DispatcherWriterHook hook, Random random) {
        for (int i = 0; i < BATCHES; i++) {
            List<EventEnvelope> batch = IntStream.rangeClosed(0, random.nextInt(3))
                    .mapToObj(any -> KeyedEvents.keyed("e" + lastId.incrementAndGet(), "key-" + random.nextInt(KEYS)))
                    .toList();
            unfinished.addAndGet(batch.size());
            hook.insert(table, null, batch);
            hook.afterWrite(batch);
            hook.afterCommit(batch);
        }
    }

    private void listen(EventEnvelope event) {
        String key = event.aggregateId();
        AtomicInteger now = running.computeIfAbsent(key, any -> new AtomicInteger());
        if (now.incrementAndGet() != 1) {
            together.add(event.eventId());
        }
        try {
            if (fails(event)) {
                throw new IllegalStateException("not yet");
            }
            succeeded.computeIfAbsent(key, any -> new ArrayList<>()).add(event.eventId());
        } finally {
            now.decrementAndGet();
        }
        oneLess();
    }

    /** Every tenth event fails, until it has failed as often as its number tells. */
    private boolean fails(EventEnvelope event) {
        int number = new Random(seed + event.eventId().hashCode()).nextInt(30);
        return number < 3 && table.attempts(event.eventId()) <= number;
    }

    private void oneLess() {
        if (unfinished.decrementAndGet() == 0) {
            allSucceeded.countDown();
        }
    }
}
