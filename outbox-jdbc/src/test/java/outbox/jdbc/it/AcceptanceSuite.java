package outbox.jdbc.it;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventType;
import outbox.dead.DeadEventManager;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.it.Signals.Kind;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** The acceptance tests of the specification (§18), by name, and what must hold from end to end. */
@Tag("locale")
abstract class AcceptanceSuite {

    enum ShopEvent implements EventType {
        ORDER_PLACED
    }

    enum ShopAggregate implements AggregateType {
        ORDER
    }

    private JdbcStoreFixture table;
    private Node node;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "outbox_event");
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    private Node start(UnaryOperator<OutboxDispatcher.Builder> settings) {
        node = new Node(database().pool(), table.store(), settings, UnaryOperator.identity());
        return node;
    }

    private EventStatus status(String id) throws SQLException {
        return table.find(id).status();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("UserCreated")
                .eventId(id)
                .payloadJson("{}")
                .build();
    }

    @Test
    void atomicity() throws Exception {
        start(d -> d);
        node.listeners.register("UserCreated", event -> {});

        try (Transaction tx = node.transactions.begin()) {
            node.writer.write(event("rolled-back"));
            tx.rollback();
        }
        try (Transaction tx = node.transactions.begin()) {
            node.writer.write(event("closed"));
        }
        node.commit(event("committed"));
        node.signals.await(Kind.SUCCESS, 1);

        assertThat(table.find("rolled-back")).isNull();
        assertThat(table.find("closed")).isNull();
        assertThat(node.signals.count(Kind.HOT_ENQUEUED)).isEqualTo(1);
    }

    @Test
    void commit_and_fast_path() throws Exception {
        BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
        start(d -> d);
        node.listeners.register("UserCreated", received::add);
        EventEnvelope written = event("e1");

        node.commit(written);

        assertThat(received.poll(30, TimeUnit.SECONDS)).isSameAs(written);
        node.signals.await(Kind.SUCCESS, 1);
        assertThat(node.signals.count(Kind.HOT_ENQUEUED)).isEqualTo(1);
        assertThat(node.signals.count(Kind.COLD_ENQUEUED)).isZero();
        assertThat(status("e1")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void queue_overflow_downgrade() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        start(d -> d.workerCount(1).hotQueueCapacity(1));
        node.listeners.register("UserCreated", event -> {
            busy.countDown();
            goOn.await();
        });

        node.commit(event("running"));
        assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
        node.commit(event("queued"));
        node.commit(event("dropped"));

        assertThat(node.signals.count(Kind.HOT_DROPPED)).isEqualTo(1);
        assertThat(status("dropped")).isEqualTo(EventStatus.NEW);
        goOn.countDown();
        node.poller.start();
        node.signals.await(Kind.SUCCESS, 3);
        assertThat(status("dropped")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void retry_and_dead() throws Exception {
        start(d -> d.maxAttempts(3));
        node.listeners.register("UserCreated", event -> {
            throw new IllegalStateException("downstream says no");
        });

        node.commit(event("e1"));
        node.signals.await(Kind.FAILURE, 1);
        assertThat(table.find("e1").attempts()).isEqualTo(1);
        assertThat(status("e1")).isEqualTo(EventStatus.RETRY);
        assertThat(table.find("e1").lastError()).contains("downstream says no");

        node.poller.start();
        node.signals.await(Kind.DEAD, 1);
        assertThat(node.signals.count(Kind.FAILURE)).isEqualTo(2);
        assertThat(status("e1")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void type_safe_event_type() throws Exception {
        BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
        start(d -> d);
        node.listeners.register(ShopEvent.ORDER_PLACED, received::add);

        node.commit(EventEnvelope.ofJson(ShopEvent.ORDER_PLACED, "{\"id\":1}"));

        assertThat(received.poll(30, TimeUnit.SECONDS).eventType()).isEqualTo("ORDER_PLACED");
    }

    @Test
    void type_safe_aggregate_type() throws Exception {
        BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
        start(d -> d);
        node.listeners.register(ShopAggregate.ORDER, ShopEvent.ORDER_PLACED, received::add);

        node.commit(EventEnvelope.builder(ShopEvent.ORDER_PLACED)
                .aggregateType(ShopAggregate.ORDER)
                .aggregateId("o-1")
                .payloadJson("{}")
                .build());

        assertThat(received.poll(30, TimeUnit.SECONDS).aggregateType()).isEqualTo("ORDER");
    }

    @Test
    void an_unroutable_event_is_dead_and_delivered_after_its_replay() throws Exception {
        start(d -> d);
        DeadEventManager dead = new DeadEventManager(node.connections, table.store());

        node.commit(event("e1"));
        node.signals.await(Kind.DEAD, 1);
        assertThat(dead.count(null)).isEqualTo(1);
        assertThat(dead.query("UserCreated", null, 10))
                .extracting(OutboxEvent::eventId)
                .containsExactly("e1");

        node.listeners.register("UserCreated", event -> {});
        assertThat(dead.replayAll(null, null, 10)).isEqualTo(1);
        node.poller.start();
        node.signals.await(Kind.SUCCESS, 1);

        assertThat(status("e1")).isEqualTo(EventStatus.DONE);
        assertThat(dead.replay("e1")).isFalse();
    }

    @Test
    void an_undecodable_row_is_dead_and_stops_nobody() throws Exception {
        start(d -> d);
        node.listeners.register("UserCreated", event -> {});
        Node writerOnly = new Node(database().pool(), table.store(), d -> d.workerCount(0), p -> p);
        writerOnly.commit(event("bad"), event("good"));
        writerOnly.close();
        Tables.execute(database().pool(), "UPDATE outbox_event SET headers = '[1]' WHERE event_id = 'bad'");

        node.poller.start();
        node.signals.await(Kind.SUCCESS, 1);

        assertThat(status("good")).isEqualTo(EventStatus.DONE);
        assertThat(status("bad")).isEqualTo(EventStatus.DEAD);
        assertThat(table.find("bad").lastError()).contains("Cannot be decoded", "flat JSON object");
    }

    @Test
    void events_survive_a_process_that_dies_after_the_commit() throws Exception {
        Node crashed = new Node(database().pool(), table.store(), d -> d.workerCount(0), p -> p);
        crashed.commit(event("e1"), event("e2"));
        List<String> received = new CopyOnWriteArrayList<>();

        start(d -> d);
        node.listeners.register("UserCreated", event -> received.add(event.eventId()));
        node.poller.start();
        node.signals.await(Kind.SUCCESS, 2);

        assertThat(received).containsExactlyInAnyOrder("e1", "e2");
        crashed.close();
    }
}
