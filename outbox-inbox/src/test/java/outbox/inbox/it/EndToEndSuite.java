package outbox.inbox.it;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.dead.DeadEventManager;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.InProcessEventBus;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.poller.OutboxPoller;
import outbox.registry.ListenerRegistry;
import outbox.spi.OutboxStore;

import static org.assertj.core.api.Assertions.assertThat;

/** From the business transaction to the handler in one application: outbox, dispatcher, bus, template. */
@Timeout(900)
@Tag("locale")
abstract class EndToEndSuite {

    private static final int EVENTS = 10_000;
    private static final int PER_TRANSACTION = 250;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private InboxFixture inbox;
    private String type;

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
        type = inbox.group.substring(0, 20);
    }

    @Test
    void ten_thousand_events_with_duplicates_and_failures_have_one_effect_each() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicInteger duplicates = new AtomicInteger();
        InProcessEventBus bus = new InProcessEventBus(inbox.template).register(inbox.group, type, event -> {
            inbox.effect().handle(event);
            failSometimes(random, 10, "handler");
        });
        ListenerRegistry listeners = bus.listeners();
        EventListener deliver = event -> {
            EventListener listener = listeners.listenerFor(event.aggregateType(), event.eventType());
            listener.onEvent(event);
            if (random.nextInt(100) < 30) {
                duplicates.incrementAndGet();
                throw new IllegalStateException("the acknowledgement is lost");
            }
        };
        try (Outbox outbox = new Outbox((aggregateType, eventType) -> eventType.equals(type) ? deliver : null, 50)) {
            for (int written = 0; written < EVENTS; written += PER_TRANSACTION) {
                outbox.write(IntStream.range(0, PER_TRANSACTION)
                        .mapToObj(i -> EventEnvelope.ofJson(type, "{}"))
                        .toList());
            }
            awaitZero("SELECT count(*) FROM outbox_event WHERE status IN (0, 2) AND event_type = ?");
        }
        assertThat(Effects.distinct(inbox.pool, inbox.group)).as("seed " + seed).isEqualTo(EVENTS);
        assertThat(inbox.effects()).as("seed " + seed).isEqualTo(EVENTS);
        assertThat(duplicates.get()).isGreaterThan(EVENTS / 5);
        assertThat(inbox.metrics.count("failed")).isGreaterThan(EVENTS / 20);
    }

    private static void failSometimes(Random random, int percent, String who) {
        if (random.nextInt(100) < percent) {
            throw new IllegalStateException(who + " fails by chance");
        }
    }

    @Test
    void the_replay_of_a_dead_event_is_not_swallowed() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        InProcessEventBus bus = new InProcessEventBus(inbox.template).register(inbox.group, type, event -> {
            inbox.effect().handle(event);
            if (broken.get()) {
                throw new IllegalStateException("broken");
            }
        });
        try (Outbox outbox = new Outbox(bus.listeners(), 2)) {
            EventEnvelope event = EventEnvelope.ofJson(type, "{}");
            outbox.write(List.of(event));
            awaitZero("SELECT 1 - count(*) FROM outbox_event WHERE status = 3 AND event_type = ?");
            assertThat(inbox.effects()).isZero();

            broken.set(false);
            DeadEventManager dead = new DeadEventManager(new DataSourceConnectionProvider(inbox.pool), outbox.store);
            assertThat(dead.replay(event.eventId())).isTrue();
            awaitZero("SELECT 1 - count(*) FROM outbox_event WHERE status = 1 AND event_type = ?");
        }
        assertThat(inbox.effects()).isEqualTo(1);
    }

    private void awaitZero(String sql) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (Effects.number(inbox.pool, sql, type) != 0) {
            assertThat(System.nanoTime()).as("time left for " + sql).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50); // the rows' last change has no signal
        }
    }

    /** A sender. */
    final class Outbox implements AutoCloseable {

        final OutboxStore store = JdbcOutboxStores.detect(inbox.pool);
        private final OutboxDispatcher dispatcher;
        private final OutboxPoller poller;
        private final OutboxWriter writer;

        Outbox(ListenerRegistry listeners, int maxAttempts) {
            DataSourceConnectionProvider connections = new DataSourceConnectionProvider(inbox.pool);
            dispatcher = OutboxDispatcher.builder()
                    .connectionProvider(connections)
                    .outboxStore(store)
                    .listenerRegistry(listeners)
                    .retryPolicy(attempts -> 10)
                    .maxAttempts(maxAttempts)
                    .workerCount(4)
                    .build();
            poller = OutboxPoller.builder()
                    .connectionProvider(connections)
                    .outboxStore(store)
                    .handler(new DispatcherPollerHandler(dispatcher))
                    .intervalMs(50)
                    .skipRecent(Duration.ZERO)
                    .build();
            poller.start();
            writer = new OutboxWriter(inbox.context, store, new DispatcherWriterHook(dispatcher));
        }

        void write(List<EventEnvelope> events) throws Exception {
            try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
                writer.writeAll(events);
                tx.commit();
            }
        }

        @Override
        public void close() {
            poller.close();
            dispatcher.close();
        }
    }
}
