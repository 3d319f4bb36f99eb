package outbox.samples.ordering.domain;

/** Where an order is in its life. */
public enum OrderStatus {
    PLACED,
    PAID,
    CANCELLED
}
