package outbox.samples.ordering.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OrderTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:15:30Z");
    private static final List<OrderLine> PENS = List.of(new OrderLine("pen", 3, new BigDecimal("1.20")));

    private static void refused(Runnable change, String rule) {
        assertThatExceptionOfType(OrderRefusedException.class)
                .isThrownBy(change::run)
                .withMessage(rule);
    }

    @Test
    void each_change_raises_its_event() {
        Order order = Order.place("Ann", PENS, NOW);
        order.pay(new BigDecimal("3.6"), NOW);

        assertThat(order.status()).isEqualTo(OrderStatus.PAID);
        assertThat(order.pullDomainEvents())
                .satisfiesExactly(
                        placed -> assertThat(placed)
                                .isEqualTo(new OrderPlaced(
                                        placed.eventId(), NOW, order.id(), "Ann", PENS, new BigDecimal("3.60"))),
                        paid -> assertThat(paid)
                                .isEqualTo(new OrderPaid(paid.eventId(), NOW, order.id(), new BigDecimal("3.6"))));
    }

    @Test
    void an_order_needs_a_customer_and_lines_that_make_sense() {
        refused(() -> Order.place(" ", PENS, NOW), "an order needs a customer, was \" \"");
        refused(() -> Order.place("Ann", List.of(), NOW), "an order needs at least one line, had none");
        refused(() -> new OrderLine("pen", 0, BigDecimal.ONE), "quantity of pen must be >= 1, was 0");
        refused(() -> new OrderLine("pen", 1, new BigDecimal("-1")), "price of pen must be >= 0, was -1");
    }

    @Test
    void what_is_refused_changes_nothing_and_raises_nothing() {
        Order order = Order.place("Ann", PENS, NOW);
        order.pullDomainEvents();

        refused(() -> order.pay(BigDecimal.ONE, NOW), "a payment must be of the total of 3.60, was 1");

        assertThat(order.status()).isEqualTo(OrderStatus.PLACED);
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void an_order_is_paid_or_cancelled_once() {
        Order paid = Order.restore("1", "Ann", BigDecimal.TEN, OrderStatus.PAID);
        Order cancelled = Order.restore("2", "Ann", BigDecimal.TEN, OrderStatus.PLACED);
        cancelled.cancel("too late", NOW);

        refused(() -> paid.pay(BigDecimal.TEN, NOW), "an order must be PLACED to be paid, was PAID");
        refused(() -> paid.cancel("x", NOW), "an order must be PLACED to be cancelled, was PAID");
        refused(() -> cancelled.pay(BigDecimal.TEN, NOW), "an order must be PLACED to be paid, was CANCELLED");
        assertThat(cancelled.pullDomainEvents()).hasOnlyElementsOfType(OrderCancelled.class);
    }
}
