package outbox.boot;

import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.EventEnvelope;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;
import outbox.inbox.EventHandlerTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class ConsumeOnceTest {

    static class Inventory {

        private final Heard heard;
        private final JdbcTemplate jdbc;
        private boolean broken;

        Inventory(Heard heard, JdbcTemplate jdbc) {
            this.heard = heard;
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE IF NOT EXISTS inventory (id VARCHAR(50))");
        }

        @IdempotentConsumer(group = "inventory")
        @Transactional
        public String reserve(EventEnvelope event) {
            jdbc.update("INSERT INTO inventory (id) VALUES (?)", event.eventId());
            heard.add(TransactionSynchronizationManager.isActualTransactionActive());
            if (broken) {
                throw new IllegalStateException("no room");
            }
            return "reserved";
        }

        public void repair(boolean stillBroken) {
            broken = stillBroken;
        }
    }

    private static void assertHandledOnce(
            org.springframework.boot.test.context.assertj.AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        Inventory inventory = context.getBean(Inventory.class);
        EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
        inventory.repair(true);
        assertThatThrownBy(() -> inventory.reserve(event)).hasMessage("no room");
        inventory.repair(false);
        assertThat(inventory.reserve(event)).isEqualTo("reserved");
        assertThat(inventory.reserve(event)).as("handled before").isNull();
        assertThat(context.getBean(Heard.class).rest()).containsExactly(true, true);
        DataSource dataSource = context.getBean(DataSource.class);
        assertThat(Shop.count(dataSource, "inventory")).isEqualTo(1);
        assertThat(Shop.count(dataSource, "event_consume_record WHERE status = 1"))
                .isEqualTo(1);
    }

    @Test
    void an_event_that_comes_again_does_not_reach_the_method_on_h2() {
        Shop.onH2(Inventory.class).run(ConsumeOnceTest::assertHandledOnce);
    }

    @Test
    void an_event_that_comes_again_does_not_reach_the_method_on_postgresql() {
        Shop.onPostgresql(Inventory.class).run(ConsumeOnceTest::assertHandledOnce);
    }

    static class WrongParameter {
        @IdempotentConsumer(group = "a")
        public void consume(String text) {}
    }

    @Test
    void a_method_without_the_envelope_stops_the_start() {
        Shop.onH2(WrongParameter.class)
                .run(context -> assertThat(Shop.cause(context))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageContaining("WrongParameter.consume has the parameters [String]"));
    }

    @Test
    void a_missing_table_names_its_script_at_the_start() {
        Shop.onH2(Inventory.class)
                .withPropertyValues("outbox.schema.initialize=never", "outbox.relay.enabled=false")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("apply inbox-schema/h2.sql"));
    }

    @Test
    void who_consumes_nothing_needs_no_table() {
        Shop.onH2().run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("outboxEventHandlerTemplate"))
                    .isFalse();
            assertThatThrownBy(() -> Shop.count(context.getBean(DataSource.class), "event_consume_record"));
            assertThat(context.getBean(EventHandlerTemplate.class)).isNotNull();
            assertThat(Shop.count(context.getBean(DataSource.class), "event_consume_record"))
                    .isZero();
        });
    }

    static class Grouped {
        @OutboxListener(group = "good")
        void good(OrderPlaced event) {}

        @OutboxListener(group = "bad", maxAttempts = 1)
        void bad(OrderPlaced event) {
            if (event.orderId().equals("dies")) {
                throw new IllegalStateException("never");
            }
        }
    }

    @Test
    void records_of_delivered_events_are_purged_and_those_of_dead_ones_are_kept() {
        Shop.onH2(Grouped.class)
                .withPropertyValues("outbox.inbox.retention=1ms", "outbox.relay.poll-interval=50ms")
                .run(context -> {
                    DataSource dataSource = context.getBean(DataSource.class);
                    context.getBean(Orders.class).place("dies");
                    context.getBean(Orders.class).place("lives");
                    await().until(() -> Shop.count(dataSource, "outbox_event WHERE status IN (1, 3)") == 2);
                    new JdbcTemplate(dataSource)
                            .update("UPDATE event_consume_record SET created_at = DATEADD(HOUR, -1, created_at),"
                                    + " updated_at = DATEADD(HOUR, -1, updated_at)");
                    outbox.boot.autoconfigure.ConsumeRecordCleanerAccess.purge(context);
                    assertThat(Shop.count(dataSource, "event_consume_record")).isEqualTo(2);
                    assertThat(Shop.count(
                                    dataSource,
                                    "event_consume_record r WHERE EXISTS (SELECT 1 FROM outbox_event e"
                                            + " WHERE e.event_id = r.event_id AND e.status = 3)"))
                            .isEqualTo(2);
                });
    }
}
