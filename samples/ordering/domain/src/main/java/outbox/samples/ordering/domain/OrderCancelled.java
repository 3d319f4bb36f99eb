package outbox.samples.ordering.domain;

import java.time.Instant;
import outbox.domain.EventName;

/** An order will not be delivered. */
@EventName("order-cancelled")
public record OrderCancelled(String eventId, Instant occurredAt, String orderId, String reason) implements OrderEvent {}
