package outbox.samples.ordering.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import outbox.domain.EventName;

/** A customer has ordered something. */
@EventName("order-placed")
public record OrderPlaced(
        String eventId, Instant occurredAt, String orderId, String customer, List<OrderLine> lines, BigDecimal total)
        implements OrderEvent {}
