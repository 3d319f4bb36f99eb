package outbox.samples.ordering.jdbc;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.domain.DomainEventListener;
import outbox.domain.DomainEventOutboxService;
import outbox.domain.DomainEventTypes;
import outbox.jackson2.Jackson2Payloads;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.samples.ordering.domain.Order;
import outbox.samples.ordering.domain.OrderEvent;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.OrderPlaced;
import outbox.samples.ordering.domain.Orders;

/** What customers can do, each in a transaction, and all the wiring that it takes. */
final class Shop implements AutoCloseable {

    private static final DomainEventTypes TYPES = DomainEventTypes.of(OrderEvent.class);

    private final JdbcTransactionManager transactions;
    private final Outbox outbox;
    private final Orders orders;

    /** A shop on a database that has the tables; tells what its listener gets. */
    Shop(DataSource dataSource, Consumer<String> news) {
        Jackson2Payloads payloads = new Jackson2Payloads();
        DomainEventListener listener = DomainEventListener.builder(TYPES, payloads)
                .on(OrderPlaced.class, event -> news.accept(event.customer() + " ordered for " + event.total()))
                .on(OrderEvent.class, event -> news.accept(event.getClass().getSimpleName()))
                .build();
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
        this.outbox = JdbcOutbox.builder(dataSource, txContext)
                .aggregateListener(JdbcOrders.AGGREGATE_TYPE, listener)
                .ordered()
                .build();
        this.orders = new JdbcOrders(txContext, new DomainEventOutboxService(outbox.writer(), payloads, TYPES));
    }

    void open() {
        outbox.start();
    }

    /** Returns the order's id. */
    String place(String customer, OrderLine... lines) throws SQLException {
        Order order = Order.place(customer, List.of(lines), Instant.now());
        return inTransaction(() -> {
            orders.save(order);
            return order.id();
        });
    }

    void pay(String orderId, BigDecimal amount) throws SQLException {
        change(orderId, order -> order.pay(amount, Instant.now()));
    }

    void cancel(String orderId, String reason) throws SQLException {
        change(orderId, order -> order.cancel(reason, Instant.now()));
    }

    private void change(String orderId, Consumer<Order> change) throws SQLException {
        inTransaction(() -> {
            Order order =
                    orders.find(orderId).orElseThrow(() -> new NoSuchElementException("There is no order " + orderId));
            change.accept(order);
            orders.save(order);
            return order;
        });
    }

    private <T> T inTransaction(Supplier<T> work) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            T result = work.get();
            tx.commit();
            return result;
        }
    }

    /** Delivers what is under way and stops. */
    @Override
    public void close() {
        outbox.close();
    }
}
