package outbox.samples.ordering.domain;

import java.util.Optional;

/** Where orders are kept. */
public interface Orders {

    /** Keeps an order that is new or has changed, together with what it raised. */
    void save(Order order);

    /** The order, which nobody else can change until the transaction has ended. */
    Optional<Order> find(String orderId);
}
