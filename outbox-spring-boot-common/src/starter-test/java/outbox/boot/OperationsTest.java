package outbox.boot;

import io.micrometer.core.instrument.MeterRegistry;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

/** Health, info, the endpoint and meters. */
class OperationsTest {

    static class Warehouse {

        private final Heard heard;

        @Autowired
        Warehouse(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener
        void ship(OrderPlaced event) {
            heard.add(event);
        }
    }

    private static WebApplicationContextRunner web(String... properties) {
        return new WebApplicationContextRunner()
                .withUserConfiguration(Warehouse.class, Shop.class)
                .withPropertyValues(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.datasource.generate-unique-name=true",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "management.info.outbox.enabled=true")
                .withPropertyValues(properties);
    }

    private static MockMvc mvc(WebApplicationContext context) {
        return MockMvcBuilders.webAppContextSetup(context).build();
    }

    @Test
    void health_info_and_the_endpoint_tell_of_the_outbox_and_show_no_payload() {
        web().run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Orders.class).place("secret-order");
            context.getBean(Heard.class).next();
            MockMvc mvc = mvc(context.getSourceApplicationContext());

            mvc.perform(get("/actuator/health/outbox"))
                    .andExpect(jsonPath("$.details.outbox.problems").doesNotExist())
                    .andExpect(jsonPath("$.status").value("UP"))
                    .andExpect(jsonPath("$.details.outbox.dead").value(0));
            mvc.perform(get("/actuator/outbox/outbox"))
                    .andExpect(status().isOk())
                    .andExpect(jsonPath("$.table").value("outbox_event"))
                    .andExpect(jsonPath("$.running").value(true))
                    .andExpect(jsonPath("$.listeners[0].name").value("Warehouse.ship"))
                    .andExpect(jsonPath("$.deadCount").value(0));
            mvc.perform(get("/actuator/outbox"))
                    .andExpect(
                            content().string(org.hamcrest.Matchers.not(org.hamcrest.Matchers.containsString("24.90"))));
            mvc.perform(get("/actuator/outbox/missing")).andExpect(status().isNotFound());
            mvc.perform(get("/actuator/info"))
                    .andExpect(jsonPath("$.outbox.outbox.table").value("outbox_event"));
        });
    }

    @Test
    void an_old_event_that_nobody_delivers_is_down_also_where_nobody_delivers() {
        web("outbox.relay.enabled=false", "outbox.health.oldest-pending=1ms").run(context -> {
            context.getBean(Orders.class).place("1");
            new JdbcTemplate(context.getBean(DataSource.class))
                    .update("UPDATE outbox_event SET available_at = DATEADD(HOUR, -1, available_at)");
            mvc(context.getSourceApplicationContext())
                    .perform(get("/actuator/health/outbox"))
                    .andExpect(jsonPath("$.status").value("DOWN"))
                    .andExpect(jsonPath("$.details.outbox.problems").isNotEmpty());
        });
    }

    static class Meters {
        @org.springframework.context.annotation.Bean
        MeterRegistry registry() {
            return new io.micrometer.core.instrument.simple.SimpleMeterRegistry();
        }
    }

    @Test
    void meters_are_bound_for_each_outbox_and_leave_with_the_context() {
        MeterRegistry[] known = new MeterRegistry[1];
        ApplicationContextRunner application = Shop.onH2(Warehouse.class, Meters.class);
        application.withPropertyValues("outbox.more.audit.table=audit_event").run(context -> {
            assertThat(context).hasNotFailed();
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            known[0] = registry;
            context.getBean(Orders.class).place("1");
            context.getBean(Heard.class).next();
            await().until(() ->
                    registry.get("outbox.dispatch.success").counter().count() == 1);
            assertThat(registry.get("outbox.pending.count")
                            .tag("table", "audit_event")
                            .gauge())
                    .isNotNull();
            assertThat(registry.find("audit.outbox.dispatch.success").counter()).isNotNull();
        });
        assertThat(known[0].getMeters())
                .extracting(meter -> meter.getId().getName())
                .noneMatch(name -> name.startsWith("outbox."));
        application
                .withPropertyValues("outbox.metrics.enabled=false")
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .find("outbox.dispatch.success")
                                .counter())
                        .isNull());
    }
}
