package outbox.samples.ordering.spring;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventOutboxService;
import outbox.samples.ordering.domain.Order;
import outbox.samples.ordering.domain.OrderStatus;
import outbox.samples.ordering.domain.Orders;

/** Orders in a table, in Spring's transaction; what they raise goes to the outbox in the same one. */
@Repository
class SpringOrders implements Orders {

    static final String AGGREGATE_TYPE = "Order";

    private final JdbcClient jdbc;
    private final DomainEventOutboxService events;

    SpringOrders(JdbcClient jdbc, DomainEventOutboxService events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Override
    public void save(Order order) {
        int changed = jdbc.sql("UPDATE orders SET status = ? WHERE id = ?")
                .params(order.status().name(), order.id())
                .update();
        if (changed == 0) {
            jdbc.sql("INSERT INTO orders (id, customer, total, status) VALUES (?, ?, ?, ?)")
                    .params(
                            order.id(),
                            order.customer(),
                            order.total(),
                            order.status().name())
                    .update();
        }
        events.recordPulledDomainEvents(order, DomainEventContext.of(AGGREGATE_TYPE, order.id()));
    }

    @Override
    public Optional<Order> find(String orderId) {
        return jdbc.sql("SELECT customer, total, status FROM orders WHERE id = ? FOR UPDATE")
                .param(orderId)
                .query((row, number) -> Order.restore(
                        orderId,
                        row.getString("customer"),
                        row.getBigDecimal("total"),
                        OrderStatus.valueOf(row.getString("status"))))
                .optional();
    }
}
