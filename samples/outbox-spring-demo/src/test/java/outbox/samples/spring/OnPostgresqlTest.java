package outbox.samples.spring;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.client.TestRestTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The profile for PostgreSQL, on a new database. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@ActiveProfiles("postgresql")
class OnPostgresqlTest {

    @Autowired
    private TestRestTemplate http;

    @Autowired
    private JdbcClient jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        TestDatabase database = TestServers.postgresql().fresh("spring_demo");
        properties.add("spring.datasource.url", database::jdbcUrl);
        properties.add("spring.datasource.username", database::user);
        properties.add("spring.datasource.password", database::password);
    }

    @Test
    void an_order_is_confirmed() {
        assertThat(http.postForEntity("/orders", new OrderWish("Ada", "24.90"), String.class)
                        .getStatusCode()
                        .value())
                .isEqualTo(201);
        await().until(() ->
                jdbc.sql("SELECT COUNT(*) FROM confirmations").query(Long.class).single() == 1);
        await().until(() ->
                http.getForObject("/events?status=DONE", String.class).contains("OrderPlaced"));
    }

    record OrderWish(String customer, String amount) {}

    @Test
    void the_page_and_actuator_are_there() {
        assertThat(http.getForObject("/", String.class)).contains("<h1>Orders and their events</h1>");
        assertThat(http.getForObject("/actuator/health", String.class)).contains("\"outbox\"", "\"status\":\"UP\"");
        assertThat(http.getForObject("/actuator/outbox", String.class)).contains("ConfirmationMailer.confirm");
    }
}
