package outbox.boot.shop;

import java.util.Arrays;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** An application as small as it can be. Package of its own classes: {@code outbox.boot.shop}. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Orders.class, Heard.class})
public class Shop {

    /** On a new H2 database in memory, with nothing configured but what must not run. */
    public static ApplicationContextRunner onH2(Class<?>... more) {
        return runner(more).withPropertyValues("spring.datasource.generate-unique-name=true");
    }

    /** On a new database of a real PostgreSQL. */
    public static ApplicationContextRunner onPostgresql(Class<?>... more) {
        TestDatabase database = TestServers.postgresql().fresh("boot");
        return runner(more)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=8",
                        "outbox.schema.initialize=always");
    }

    private static ApplicationContextRunner runner(Class<?>... more) {
        Class<?>[] all = Arrays.copyOf(more, more.length + 1);
        all[more.length] = Shop.class;
        return new ApplicationContextRunner()
                .withUserConfiguration(all)
                .withPropertyValues(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.jpa.open-in-view=false");
    }

    /** What has stopped the start, without what others have wrapped around it. */
    public static Throwable cause(AssertableApplicationContext context) {
        return NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure());
    }

    /** How many rows of a table there are. */
    public static int count(DataSource dataSource, String table) {
        return new JdbcTemplate(dataSource).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }
}
