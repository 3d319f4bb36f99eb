package outbox.boot;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import outbox.Delivery;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One dependency, one annotation: order, event and listener without a line of configuration. */
class FirstStepsTest {

    static class Warehouse {

        private final Heard heard;

        Warehouse(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener
        void ship(OrderPlaced event, Delivery delivery) {
            heard.add(event);
            heard.add(delivery.eventId());
        }
    }

    private static final Map<String, Supplier<ApplicationContextRunner>> DATABASES =
            Map.of("H2", () -> Shop.onH2(Warehouse.class), "PostgreSQL", () -> Shop.onPostgresql(Warehouse.class));

    @TestFactory
    Stream<DynamicTest> an_order_reaches_its_listener_and_a_rollback_leaves_nothing() {
        return DATABASES.entrySet().stream()
                .map(database -> DynamicTest.dynamicTest(
                        database.getKey(),
                        () -> assertOrderIsHeard(database.getValue().get())));
    }

    private static void assertOrderIsHeard(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            Orders orders = context.getBean(Orders.class);
            Heard heard = context.getBean(Heard.class);

            assertThatThrownBy(() -> orders.placeAndFail("1")).hasMessage("the payment failed");
            orders.place("2");

            assertThat(heard.next()).isEqualTo(OrderPlaced.of("2"));
            assertThat(heard.next()).isInstanceOf(String.class);
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(Shop.count(dataSource, "orders")).isEqualTo(1);
            assertThat(Shop.count(dataSource, "outbox_event")).isEqualTo(1);
            assertThat(context.getBean(Outbox.class).listeners())
                    .anyMatch(state -> state.name().equals("Warehouse.ship"));
        });
    }

    @Test
    void a_write_outside_of_a_transaction_or_in_one_that_only_reads_is_refused() {
        Shop.onH2().run(context -> {
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> publisher.publish(OrderPlaced.of("1")))
                    .withMessageContaining("No transaction is active")
                    .withMessageContaining("reactive");
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Orders.class).placeReadOnly("1"))
                    .withMessageContaining("read-only");
            assertThat(Shop.count(context.getBean(DataSource.class), "outbox_event"))
                    .isZero();
        });
    }

    @Test
    void an_outbox_that_nobody_listens_to_starts_and_can_be_switched_off() {
        Shop.onH2()
                .run(context ->
                        assertThat(context.getBean(Outbox.class).isRunning()).isTrue());
        Shop.onH2()
                .withPropertyValues("outbox.enabled=false")
                .run(context -> assertThat(context).hasFailed().getFailure().hasMessageContaining("OutboxPublisher"));
    }

    @Test
    void the_outbox_is_closed_with_the_context_and_leaves_no_thread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet(); // other tests' contexts may live on
        Shop.onH2(Warehouse.class).run(context -> {
            Outbox outbox = context.getBean(Outbox.class);
            context.getBean(Orders.class).place("1");
            assertThat(threadsSince(before)).isNotEmpty();
            context.close();
            assertThat(outbox.isRunning()).isFalse();
            assertThat(threadsSince(before)).isEmpty();
        });
    }

    private static List<String> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.startsWith("outbox"))
                .toList();
    }

    @Test
    void the_beans_of_the_application_come_first() {
        Shop.onH2(OwnWriter.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).hasSingleBean(OutboxWriter.class);
            assertThat(context.getBean(OutboxWriter.class)).isSameAs(context.getBean("own"));
        });
    }

    static class OwnWriter {

        @org.springframework.context.annotation.Bean
        OutboxWriter own(Outbox outbox) {
            return new OutboxWriter(outbox.writer().txContext(), outbox.store());
        }
    }
}
