package outbox.samples.ordering.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import outbox.domain.AggregateRoot;
import outbox.domain.DomainEvent;

/** An order keeps its own rules: whoever has one in hand has one that is right. Each change raises the event that tells of it. */
public final class Order extends AggregateRoot {

    private final String id;
    private final String customer;
    private final BigDecimal total;
    private OrderStatus status;

    private Order(String id, String customer, BigDecimal total, OrderStatus status) {
        this.id = id;
        this.customer = customer;
        this.total = total;
        this.status = status;
    }

    /**
     * A customer orders something.
     *
     * @throws OrderRefusedException if nobody orders, or nothing is ordered
     */
    public static Order place(String customer, List<OrderLine> lines, Instant now) {
        refuseIf(customer.isBlank(), "an order needs a customer, was \"" + customer + "\"");
        refuseIf(lines.isEmpty(), "an order needs at least one line, had none");
        BigDecimal total = lines.stream().map(OrderLine::total).reduce(BigDecimal.ZERO, BigDecimal::add);
        Order order = new Order(UUID.randomUUID().toString(), customer, total, OrderStatus.PLACED);
        order.raise(new OrderPlaced(DomainEvent.newEventId(), now, order.id, customer, List.copyOf(lines), total));
        return order;
    }

    /** An order as it was saved; nothing has happened to it. */
    public static Order restore(String id, String customer, BigDecimal total, OrderStatus status) {
        return new Order(id, customer, total, status);
    }

    /**
     * The customer has paid.
     *
     * @throws OrderRefusedException if the order does not wait for a payment, or for another amount
     */
    public void pay(BigDecimal amount, Instant now) {
        refuseIf(status != OrderStatus.PLACED, "an order must be PLACED to be paid, was " + status);
        refuseIf(amount.compareTo(total) != 0, "a payment must be of the total of " + total + ", was " + amount);
        status = OrderStatus.PAID;
        raise(new OrderPaid(DomainEvent.newEventId(), now, id, amount));
    }

    /**
     * The order is called off.
     *
     * @throws OrderRefusedException if it is too late for that
     */
    public void cancel(String reason, Instant now) {
        refuseIf(status != OrderStatus.PLACED, "an order must be PLACED to be cancelled, was " + status);
        status = OrderStatus.CANCELLED;
        raise(new OrderCancelled(DomainEvent.newEventId(), now, id, reason));
    }

    public String id() {
        return id;
    }

    public String customer() {
        return customer;
    }

    public BigDecimal total() {
        return total;
    }

    public OrderStatus status() {
        return status;
    }

    private static void refuseIf(boolean broken, String rule) {
        if (broken) {
            throw new OrderRefusedException(rule);
        }
    }
}
