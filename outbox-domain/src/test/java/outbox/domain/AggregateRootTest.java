package outbox.domain;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class AggregateRootTest {

    @Test
    void pulling_returns_what_was_raised_in_order_and_forgets_it() {
        Order order = new Order().place("Ann").pay(5);

        assertThat(order.pullDomainEvents())
                .extracting(Object::getClass)
                .containsExactly(Order.Placed.class, Order.Paid.class);
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void null_is_no_event() {
        AggregateRoot root = new AggregateRoot() {};

        assertThatNullPointerException().isThrownBy(() -> root.raise(null)).withMessage("event");
        assertThat(root.pullDomainEvents()).isEmpty();
    }

    @Test
    void what_comes_back_finds_its_place_whatever_the_order_of_coming_back() {
        Order order = new Order().place("Ann");
        var first = order.take();
        order.pay(1);
        var second = order.take();
        order.pay(2);

        order.putBack(first);
        order.putBack(second);

        assertThat(order.pullDomainEvents())
                .extracting(event -> event instanceof Order.Paid paid ? paid.cents() : 0L)
                .containsExactly(0L, 1L, 2L);
    }
}
