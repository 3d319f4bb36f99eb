package outbox.samples.ordering.jdbc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.JdbcTemplate;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.OrderRefusedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShopTest {

    private static final OrderLine PENS = new OrderLine("pen", 3, new BigDecimal("1.20"));

    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private JdbcConnectionPool pool;
    private Shop shop;

    @BeforeEach
    void prepareShop() throws SQLException {
        pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        Tables.create(pool);
        shop = new Shop(pool, news::add);
    }

    @AfterEach
    void closeShop() {
        shop.close();
        pool.dispose();
    }

    private List<String> column(String sql) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getString(1));
        }
    }

    private List<String> eventTypes() throws SQLException {
        return column("SELECT event_type FROM outbox_event ORDER BY seq");
    }

    @Test
    void an_order_and_its_event_are_committed_together() throws SQLException {
        String orderId = shop.place("Ann", PENS);

        assertThat(column("SELECT id FROM orders")).containsExactly(orderId);
        assertThat(column("SELECT aggregate_id FROM outbox_event")).containsExactly(orderId);
        assertThat(eventTypes()).containsExactly("order-placed");
    }

    @Test
    void when_the_event_cannot_be_written_the_order_is_not_there_either() throws SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "ALTER TABLE outbox_event ADD CHECK (event_type <> 'order-placed')");
        }

        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> shop.place("Ann", PENS));

        assertThat(column("SELECT id FROM orders")).isEmpty();
        assertThat(eventTypes()).isEmpty();
    }

    @Test
    void what_a_rule_forbids_leaves_neither_change_nor_event() throws SQLException {
        String orderId = shop.place("Ann", PENS);

        assertThatExceptionOfType(OrderRefusedException.class)
                .isThrownBy(() -> shop.pay(orderId, BigDecimal.ONE))
                .withMessage("a payment must be of the total of 3.60, was 1");
        assertThatExceptionOfType(NoSuchElementException.class)
                .isThrownBy(() -> shop.pay("nobody's", BigDecimal.ONE))
                .withMessage("There is no order nobody's");

        assertThat(column("SELECT status FROM orders")).containsExactly("PLACED");
        assertThat(eventTypes()).containsExactly("order-placed");
    }

    @Test
    void the_listener_gets_typed_events_in_the_order_in_which_they_happened() throws Exception {
        shop.open();
        shop.pay(shop.place("Ann", PENS), new BigDecimal("3.60"));

        assertThat(news.poll(30, TimeUnit.SECONDS)).isEqualTo("Ann ordered for 3.60");
        assertThat(news.poll(30, TimeUnit.SECONDS)).isEqualTo("OrderPaid");
    }

    @Test
    void a_cancelled_order_tells_its_listener() throws Exception {
        shop.open();
        shop.cancel(shop.place("Ann", PENS), "changed her mind");

        assertThat(news.poll(30, TimeUnit.SECONDS)).isEqualTo("Ann ordered for 3.60");
        assertThat(news.poll(30, TimeUnit.SECONDS)).isEqualTo("OrderCancelled");
    }

    @Test
    void the_program_runs_to_its_end() {
        assertThatCode(() -> OrderingOnJdbc.main(new String[0])).doesNotThrowAnyException();
    }
}
