package outbox.samples.ordering.domain;

import outbox.domain.DomainEvent;

/** What can happen to an order. */
public sealed interface OrderEvent extends DomainEvent permits OrderPlaced, OrderPaid, OrderCancelled {

    /** Which order it happened to. */
    String orderId();
}
