package outbox.domain;

import java.time.Instant;

/** An aggregate that raises what the tests need. */
final class Order extends AggregateRoot {

    static final Instant AT = Instant.parse("2026-03-01T10:15:30.123456Z");

    sealed interface OrderEvent extends DomainEvent permits Placed, Paid {}

    @EventName("order-placed")
    record Placed(String eventId, Instant occurredAt, String customer) implements OrderEvent {}

    @EventName(value = "order-paid", version = 2)
    record Paid(String eventId, Instant occurredAt, long cents) implements OrderEvent {}

    /** Goes by its class name. */
    record Unnamed(String eventId, Instant occurredAt) implements DomainEvent {}

    Order place(String customer) {
        raise(new Placed(DomainEvent.newEventId(), AT, customer));
        return this;
    }

    Order pay(long cents) {
        raise(new Paid(DomainEvent.newEventId(), AT, cents));
        return this;
    }

    Order mention() {
        raise(new Unnamed(DomainEvent.newEventId(), AT));
        return this;
    }
}
