package outbox.samples.ordering.domain;

import java.math.BigDecimal;
import java.time.Instant;
import outbox.domain.EventName;

/** All of an order's price has come in. */
@EventName("order-paid")
public record OrderPaid(String eventId, Instant occurredAt, String orderId, BigDecimal amount) implements OrderEvent {}
