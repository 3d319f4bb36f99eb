package outbox.domain;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.jdbc.JdbcOutbox;

import static org.assertj.core.api.Assertions.assertThat;

/** From the aggregate that raises them to the typed handler, events of one aggregate keep their order. */
abstract class OrderSuite {

    private static final int ORDERS = 4;
    private static final int TRANSACTIONS = 8;
    private static final int PER_TRANSACTION = 3;
    private static final int EVENTS_OF_AN_ORDER = TRANSACTIONS * PER_TRANSACTION;

    private final Map<String, List<Long>> handled = new LinkedHashMap<>();
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    private final CountDownLatch arrived = new CountDownLatch(ORDERS * EVENTS_OF_AN_ORDER);
    private OutboxDatabase database;

    abstract OutboxDatabase open() throws SQLException;

    @BeforeEach
    void openDatabase() throws SQLException {
        database = open();
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    /** Two nodes write and deliver, and every fifth event fails at first: neither may let a later event pass. */
    @Test
    void events_of_an_aggregate_reach_typed_handlers_in_their_order_across_nodes_and_retries() throws Exception {
        try (Outbox one = node();
                Outbox two = node()) {
            one.start();
            two.start();
            List<Order> orders = List.of(new Order(), new Order(), new Order(), new Order());
            for (int tx = 0; tx < TRANSACTIONS; tx++) {
                Outbox writing = tx % 2 == 0 ? one : two;
                for (int i = 0; i < ORDERS; i++) {
                    record(writing, orders.get(i), "order" + i, tx);
                }
            }
            assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        }

        Long[] inOrder = LongStream.range(0, EVENTS_OF_AN_ORDER).boxed().toArray(Long[]::new);
        assertThat(handled).hasSize(ORDERS);
        assertThat(handled.values()).allSatisfy(cents -> assertThat(cents).containsExactly(inOrder));
        assertThat(failedOnce).hasSizeGreaterThan(ORDERS);
    }

    private void record(Outbox writing, Order order, String id, int tx) throws SQLException {
        for (int i = 0; i < PER_TRANSACTION; i++) {
            long cents = (long) tx * PER_TRANSACTION + i;
            order.raise(new Order.Paid(id + ":" + DomainEvent.newEventId(), Order.AT, cents));
        }
        try (var transaction = database.transactions.begin()) {
            new DomainEventOutboxService(writing.writer(), new PlainText())
                    .recordPulledDomainEvents(order, DomainEventContext.of("Order", id));
            transaction.commit();
        }
    }

    private Outbox node() {
        DomainEventListener listener = DomainEventListener.builder(
                        DomainEventTypes.of(Order.OrderEvent.class), new PlainText())
                .on(Order.Paid.class, this::handle)
                .build();
        return JdbcOutbox.builder(database.dataSource, database.txContext)
                .aggregateListener("Order", listener)
                .claimLocking(Duration.ofMinutes(1))
                .ordered()
                .dispatcher(dispatcher -> dispatcher.retryPolicy(attempts -> 0))
                .build();
    }

    private void handle(Order.Paid event) {
        if (event.cents() % 5 == 0 && failedOnce.add(event.eventId())) {
            throw new IllegalStateException("not yet");
        }
        String order = event.eventId().substring(0, event.eventId().indexOf(':'));
        synchronized (handled) {
            handled.computeIfAbsent(order, id -> new ArrayList<>()).add(event.cents());
        }
        arrived.countDown();
    }
}
