package outbox.samples.spring;

import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.boot.OutboxPublisher;

/** Places orders: the row and the event are committed together or not at all. */
@Service
class OrderService {

    /** An order that has been placed. */
    record Order(String id, String customer, BigDecimal amount) {}

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    OrderService(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    /** Writes the order and its event, then takes the money; if that fails, neither is left. */
    @Transactional
    public Order place(NewOrder wish) {
        Order order = new Order(UUID.randomUUID().toString(), wish.validCustomer(), wish.validAmount());
        jdbc.sql("INSERT INTO orders (id, customer, amount) VALUES (?, ?, ?)")
                .params(order.id, order.customer, order.amount)
                .update();
        outbox.publish(new OrderPlaced(order.id, order.customer, order.amount));
        charge(order);
        return order;
    }

    @Transactional(readOnly = true)
    public List<Order> all() {
        return jdbc.sql("SELECT id, customer, amount FROM orders ORDER BY customer, id")
                .query(Order.class)
                .list();
    }

    /** Stands for a payment service that has a say after everything was written. */
    private static void charge(Order order) {
        if (order.amount.signum() == 0) {
            throw new InvalidInputException("amount", "must be greater than 0", order.amount);
        }
    }
}
