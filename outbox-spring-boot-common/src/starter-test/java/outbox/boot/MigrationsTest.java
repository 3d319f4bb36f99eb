package outbox.boot;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Orders;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that have Flyway or Liquibase, with a V1 of their own. */
class MigrationsTest {

    static class Warehouse {

        private final Heard heard;

        Warehouse(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener(group = "warehouse")
        void ship(OrderPlaced event) {
            heard.add(event);
        }
    }

    private static final Map<String, Supplier<ApplicationContextRunner>> DATABASES =
            Map.of("H2", () -> Shop.onH2(Warehouse.class), "PostgreSQL", () -> Shop.onPostgresql(Warehouse.class));

    private static final Map<String, String[]> TOOLS = Map.of(
            "Flyway", new String[] {"spring.flyway.enabled=true", "spring.flyway.locations=classpath:shop-migrations"},
            "Liquibase",
                    new String[] {
                        "spring.liquibase.enabled=true", "spring.liquibase.change-log=classpath:shop-changelog.sql"
                    });

    @TestFactory
    Stream<DynamicTest> the_tables_come_with_a_history_of_their_own() {
        return DATABASES.entrySet().stream()
                .flatMap(database -> TOOLS.entrySet().stream()
                        .map(tool -> DynamicTest.dynamicTest(
                                tool.getKey() + " on " + database.getKey(),
                                () -> assertMigrated(database.getValue()
                                        .get()
                                        .withPropertyValues(tool.getValue())
                                        .withPropertyValues(
                                                "outbox.schema.initialize=never", "outbox.ordering=per-aggregate")))));
    }

    private static void assertMigrated(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Orders.class).place("1");
            assertThat(context.getBean(Heard.class).next()).isEqualTo(OrderPlaced.of("1"));
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM shop_own", Integer.class))
                    .isZero();
        });
    }
}
