package outbox.samples.ordering.spring;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.samples.ordering.domain.Order;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.Orders;

/** What customers can do, each in a transaction. */
@Service
class OrderService {

    private final Orders orders;

    OrderService(Orders orders) {
        this.orders = orders;
    }

    /** Returns the order's id. */
    @Transactional
    public String place(String customer, List<OrderLine> lines) {
        Order order = Order.place(customer, lines, Instant.now());
        orders.save(order);
        return order.id();
    }

    @Transactional
    public void pay(String orderId, BigDecimal amount) {
        change(orderId, order -> order.pay(amount, Instant.now()));
    }

    @Transactional
    public void cancel(String orderId, String reason) {
        change(orderId, order -> order.cancel(reason, Instant.now()));
    }

    private void change(String orderId, Consumer<Order> change) {
        Order order =
                orders.find(orderId).orElseThrow(() -> new NoSuchElementException("There is no order " + orderId));
        change.accept(order);
        orders.save(order);
    }
}
