package outbox.boot.shop;

import java.math.BigDecimal;
import outbox.boot.Outboxed;

@Outboxed(aggregate = "Order", id = "orderId")
public record OrderPlaced(String orderId, BigDecimal total) {

    public static OrderPlaced of(String orderId) {
        return new OrderPlaced(orderId, new BigDecimal("24.90"));
    }
}
