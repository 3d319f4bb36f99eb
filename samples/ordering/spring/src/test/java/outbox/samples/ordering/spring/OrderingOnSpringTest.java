package outbox.samples.ordering.spring;

import java.math.BigDecimal;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.OrderRefusedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringBootTest
class OrderingOnSpringTest {

    private static final BlockingQueue<String> NEWS = new LinkedBlockingQueue<>();
    private static final List<OrderLine> PENS = List.of(new OrderLine("pen", 3, new BigDecimal("1.20")));

    @TestConfiguration
    static class HeardNews {

        @Bean
        @Primary
        News heardNews() {
            return NEWS::add;
        }
    }

    @Autowired
    private OrderService orders;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private JdbcClient jdbc;

    private List<String> column(String sql, String orderId) {
        return jdbc.sql(sql).param(orderId).query(String.class).list();
    }

    private List<String> eventTypes(String orderId) {
        return column("SELECT event_type FROM outbox_event WHERE aggregate_id = ? ORDER BY seq", orderId);
    }

    private static void awaitNews(String... expected) throws InterruptedException {
        for (String line : expected) {
            assertThat(NEWS.poll(30, TimeUnit.SECONDS)).isEqualTo(line);
        }
    }

    @Test
    void an_order_and_its_events_are_committed_together_and_the_listener_gets_them_typed_and_in_order()
            throws InterruptedException {
        String orderId = orders.place("Ann", PENS);
        orders.pay(orderId, new BigDecimal("3.60"));

        assertThat(column("SELECT status FROM orders WHERE id = ?", orderId)).containsExactly("PAID");
        assertThat(eventTypes(orderId)).containsExactly("order-placed", "order-paid");
        awaitNews("Ann ordered for 3.60", "OrderPaid");
    }

    @Test
    void what_is_rolled_back_leaves_neither_order_nor_event() {
        String orderId = transactions.execute(status -> {
            status.setRollbackOnly();
            return orders.place("Ann", PENS);
        });

        assertThat(column("SELECT id FROM orders WHERE id = ?", orderId)).isEmpty();
        assertThat(eventTypes(orderId)).isEmpty();
    }

    @Test
    void what_a_rule_forbids_leaves_neither_change_nor_event() throws InterruptedException {
        String orderId = orders.place("Ben", PENS);
        orders.cancel(orderId, "changed his mind");
        awaitNews("Ben ordered for 3.60", "OrderCancelled");

        assertThatExceptionOfType(OrderRefusedException.class)
                .isThrownBy(() -> orders.pay(orderId, new BigDecimal("3.60")))
                .withMessage("an order must be PLACED to be paid, was CANCELLED");
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> orders.pay("nobody's", BigDecimal.ONE))
                .withMessage("There is no order nobody's");

        assertThat(column("SELECT status FROM orders WHERE id = ?", orderId)).containsExactly("CANCELLED");
        assertThat(eventTypes(orderId)).containsExactly("order-placed", "order-cancelled");
    }

    @Test
    void this_is_spring_boot_4_and_the_program_runs_to_its_end() {
        assertThat(SpringBootVersion.getVersion()).startsWith("4.");
        assertThatCode(() -> OrderingOnSpring.main(new String[0])).doesNotThrowAnyException();
    }
}
