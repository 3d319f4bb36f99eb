package outbox.samples.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Who asks for dead events while the database is away must not hear that there are none. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = "spring.datasource.url=jdbc:h2:mem:away;DB_CLOSE_DELAY=-1")
class DatabaseAwayTest {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /** A database that can be taken away. */
    static final class Cable extends DelegatingDataSource {

        private volatile boolean cut;

        Cable(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (cut) {
                throw new SQLException("the database is away", "08001");
            }
            return super.getConnection();
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class WithCable {

        @Bean
        static BeanPostProcessor cable() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource dataSource ? new Cable(dataSource) : bean;
                }
            };
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private DataSource dataSource;

    @Autowired
    private JdbcClient jdbc;

    @AfterEach
    void mend() {
        ((Cable) dataSource).cut = false;
    }

    @Test
    void a_replay_says_that_it_failed_and_not_that_there_was_nothing() throws Exception {
        post("/mailer/break", "");
        assertThat(post("/orders", "{\"customer\": \"poison\", \"amount\": 5}").statusCode())
                .isEqualTo(201);
        await().atMost(PATIENCE).until(() -> deadIds().size() == 1);
        String id = deadIds().get(0);

        ((Cable) dataSource).cut = true;
        assertFails(post("/events/dead/replay", ""));
        assertFails(post("/events/dead/" + id + "/replay", ""));

        ((Cable) dataSource).cut = false;
        HttpResponse<String> replayed = post("/events/dead/replay", "");
        assertThat(replayed.statusCode()).isEqualTo(200);
        assertThat(replayed.body()).isEqualTo("{\"replayed\":1}");
    }

    private static void assertFails(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isBetween(500, 599);
        assertThat(answer.body()).doesNotContain("replayed");
    }

    private List<String> deadIds() {
        return jdbc.sql("SELECT event_id FROM outbox_event WHERE status = 3")
                .query(String.class)
                .list();
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(PATIENCE)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
