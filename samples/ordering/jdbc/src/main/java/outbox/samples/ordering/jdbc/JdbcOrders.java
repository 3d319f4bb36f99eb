package outbox.samples.ordering.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventOutboxService;
import outbox.jdbc.JdbcTemplate;
import outbox.samples.ordering.domain.Order;
import outbox.samples.ordering.domain.OrderStatus;
import outbox.samples.ordering.domain.Orders;
import outbox.spi.TxContext;

/** Orders in a table, in the transaction of the thread; what they raise goes to the outbox in the same one. */
final class JdbcOrders implements Orders {

    static final String AGGREGATE_TYPE = "Order";
    static final String TABLE = """
            CREATE TABLE orders (
              id       VARCHAR(36) PRIMARY KEY,
              customer VARCHAR(100) NOT NULL,
              total    DECIMAL(12, 2) NOT NULL,
              status   VARCHAR(10) NOT NULL
            )""";

    private final TxContext transactions;
    private final DomainEventOutboxService events;

    JdbcOrders(TxContext transactions, DomainEventOutboxService events) {
        this.transactions = transactions;
        this.events = events;
    }

    @Override
    public void save(Order order) {
        try {
            if (update(order) == 0) {
                insert(order);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot save order " + order.id(), e);
        }
        events.recordPulledDomainEvents(order, DomainEventContext.of(AGGREGATE_TYPE, order.id()));
    }

    @Override
    public Optional<Order> find(String orderId) {
        try {
            return select(orderId).stream().findFirst();
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read order " + orderId, e);
        }
    }

    private int update(Order order) throws SQLException {
        return JdbcTemplate.update(
                transactions.currentConnection(),
                "UPDATE orders SET status = ? WHERE id = ?",
                order.status().name(),
                order.id());
    }

    private void insert(Order order) throws SQLException {
        JdbcTemplate.update(
                transactions.currentConnection(),
                "INSERT INTO orders (id, customer, total, status) VALUES (?, ?, ?, ?)",
                order.id(),
                order.customer(),
                order.total(),
                order.status().name());
    }

    private List<Order> select(String orderId) throws SQLException {
        return JdbcTemplate.query(
                transactions.currentConnection(),
                "SELECT customer, total, status FROM orders WHERE id = ? FOR UPDATE",
                row -> Order.restore(
                        orderId,
                        row.getString("customer"),
                        row.getBigDecimal("total"),
                        OrderStatus.valueOf(row.getString("status"))),
                orderId);
    }
}
