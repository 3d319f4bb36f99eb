package outbox.boot;

import java.math.BigDecimal;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.annotation.Transactional;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;
import outbox.boot.test.OutboxTest;
import outbox.testing.OutboxProbe;
import outbox.testing.RecordedEvents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests as a user writes them. */
@OutboxTest(
        classes = {Shop.class, OutboxTestTest.Warehouse.class},
        properties = {
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "spring.datasource.generate-unique-name=true"
        })
class OutboxTestTest {

    static class Warehouse {

        private final Heard heard;

        Warehouse(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener
        void ship(OrderPlaced event) {
            heard.add(event.orderId());
        }
    }

    @Autowired
    private Orders orders;

    @Autowired
    private Heard heard;

    @Test
    void an_order_announces_itself(RecordedEvents events) {
        orders.place("42");

        assertThat(events)
                .containsExactlyOne(OrderPlaced.class)
                .forAggregate("Order", "42")
                .withPayload(new OrderPlaced("42", new BigDecimal("24.90")));
        assertThat(heard.rest()).doesNotContain("42");
    }

    @Test
    void an_order_that_failed_announces_nothing(RecordedEvents events) {
        assertThatThrownBy(() -> orders.placeAndFail("43")).hasMessage("the payment failed");
        assertThat(events).isEmpty();
    }

    @Test
    @Transactional
    void a_test_in_a_transaction_sees_and_dispatches_what_is_not_committed(RecordedEvents events, OutboxProbe probe)
            throws Exception {
        orders.place("44");
        assertThat(events).containsExactlyOne("OrderPlaced");

        probe.failNext(OrderPlaced.class, new IllegalStateException("the warehouse is closed"));
        assertThatThrownBy(probe::dispatchNow).hasMessage("the warehouse is closed");
        assertThat(probe.dispatchNow()).isEqualTo(1);
        assertThat(heard.rest()).contains("44");
    }

    @Nested
    @OutboxTest(
            relay = true,
            classes = {Shop.class, OutboxTestTest.Warehouse.class},
            properties = {
                "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false",
                "spring.datasource.generate-unique-name=true"
            })
    class WithRelay {

        @Test
        void a_test_waits_until_everything_is_delivered(
                @Autowired Orders orders, @Autowired Heard heard, OutboxProbe probe) {
            orders.place("45");
            probe.awaitIdle();
            assertThat(heard.rest()).contains("45");
        }
    }
}
