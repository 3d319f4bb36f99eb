package outbox.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.EncodedResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;
import outbox.jdbc.store.JdbcOutboxStores;

import static org.assertj.core.api.Assertions.assertThat;

/** When an outbox starts and stops, among the other parts of an application. */
class LifecycleTest {

    /** Notes whether the outbox ran when the web server began to take requests, and when it had stopped. */
    static class Observer implements ApplicationListener<ApplicationEvent>, SmartLifecycle {

        private static final List<String> SEEN = new CopyOnWriteArrayList<>();

        private final Outbox outbox;
        private final DataSource dataSource;
        private boolean running;

        Observer(Outbox outbox, DataSource dataSource) {
            this.outbox = outbox;
            this.dataSource = dataSource;
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            if (event.getClass().getSimpleName().equals("ServletWebServerInitializedEvent")) {
                SEEN.add("web server started, outbox runs: " + outbox.isRunning());
            }
        }

        @Override
        public void start() {
            running = true;
        }

        /** After the web server, whose phase is higher, and before the outbox. */
        @Override
        public void stop() {
            running = false;
            SEEN.add("web server stopped, outbox runs: " + outbox.isRunning());
            try (Connection conn = dataSource.getConnection()) {
                SEEN.add("pool open: " + conn.isValid(1));
            } catch (SQLException e) {
                SEEN.add("pool closed");
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE - 3000;
        }
    }

    @Test
    void it_starts_before_the_web_server_and_stops_after_it_and_before_the_pool() {
        Observer.SEEN.clear();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Shop.class, Observer.class)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.datasource.generate-unique-name=true")
                .run()) {
            assertThat(context.isActive()).isTrue();
        }
        assertThat(Observer.SEEN)
                .containsExactly(
                        "web server started, outbox runs: true",
                        "web server stopped, outbox runs: true",
                        "pool open: true");
    }

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

    @Test
    void what_is_written_while_the_context_starts_is_delivered_when_it_has() {
        Shop.onH2(WritesEarly.class, Warehouse.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Heard.class).next()).isEqualTo("early");
        });
    }

    static class WritesEarly {
        WritesEarly(Orders orders) {
            orders.place("early");
        }
    }

    @Test
    void a_notification_of_postgresql_wakes_the_poller() {
        Shop.onPostgresql(Warehouse.class)
                .withPropertyValues("outbox.relay.listen=true", "outbox.relay.poll-interval=1h")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DataSource dataSource = context.getBean(DataSource.class);
                    try (Connection conn = dataSource.getConnection()) {
                        ScriptUtils.executeSqlScript(
                                conn,
                                new EncodedResource(new ClassPathResource("schema/postgresql-notify.sql")),
                                false,
                                false,
                                "--",
                                ScriptUtils.EOF_STATEMENT_SEPARATOR,
                                "/*",
                                "*/");
                    }
                    OutboxWriter elsewhere = new OutboxWriter(
                            context.getBean(OutboxWriter.class).txContext(), JdbcOutboxStores.detect(dataSource));
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> elsewhere.write(EventEnvelope.ofJson(
                                    "OrderPlaced", "{\"orderId\":\"from elsewhere\",\"total\":1}")));
                    assertThat(context.getBean(Heard.class).next()).isEqualTo("from elsewhere");
                });
    }
}
