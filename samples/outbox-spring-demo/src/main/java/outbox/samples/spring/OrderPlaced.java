package outbox.samples.spring;

import java.math.BigDecimal;
import outbox.boot.Outboxed;

/** An order was placed: what is stored with it and delivered after the commit. */
@Outboxed(aggregate = "Order", id = "id")
record OrderPlaced(String id, String customer, BigDecimal amount) {}
