package outbox.samples.ordering.domain;

import java.math.BigDecimal;

/** So many of an article at a price each. */
public record OrderLine(String article, int quantity, BigDecimal price) {

    public OrderLine {
        if (quantity < 1) {
            throw new OrderRefusedException("quantity of " + article + " must be >= 1, was " + quantity);
        }
        if (price.signum() < 0) {
            throw new OrderRefusedException("price of " + article + " must be >= 0, was " + price);
        }
    }

    BigDecimal total() {
        return price.multiply(BigDecimal.valueOf(quantity));
    }
}
