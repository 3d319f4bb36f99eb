package outbox.samples.spring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class OutboxSpringDemoTest {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private Environment environment;

    @BeforeEach
    void breakTheMailer() throws Exception {
        assertThat(post("/mailer/break", "").status).isEqualTo(200);
    }

    @Test
    void an_order_is_stored_and_its_event_is_delivered() throws Exception {
        Answer answer = post("/orders", order("Ada", "24.90"));

        assertThat(answer.status).isEqualTo(201);
        String orderId = answer.body.path("id").asText();
        await().atMost(PATIENCE).until(() -> confirmationsOf(orderId) == 1);
        await().atMost(PATIENCE).until(() -> statusOf(orderId).equals("DONE"));
        assertThat(get("/events?status=DONE").body.findValuesAsText("aggregateId"))
                .contains(orderId);
        assertThat(get("/orders").body.findValuesAsText("id")).contains(orderId);
    }

    @Test
    void a_payment_that_fails_after_the_write_leaves_neither_order_nor_event() throws Exception {
        long orders = count("SELECT COUNT(*) FROM orders");
        long events = count("SELECT COUNT(*) FROM outbox_event");

        Answer answer = post("/orders", order("Ada", "0"));

        assertThat(answer.status).isEqualTo(400);
        assertThat(answer.body.path("field").asText()).isEqualTo("amount");
        assertThat(answer.body.path("rule").asText()).isEqualTo("must be greater than 0");
        assertThat(count("SELECT COUNT(*) FROM orders")).isEqualTo(orders);
        assertThat(count("SELECT COUNT(*) FROM outbox_event")).isEqualTo(events);
    }

    @Test
    void a_flaky_delivery_is_repeated_until_it_works() throws Exception {
        String orderId = post("/orders", order("flaky", "5")).body.path("id").asText();

        await().atMost(PATIENCE).until(() -> statusOf(orderId).equals("DONE"));

        assertThat(count("SELECT attempts FROM outbox_event WHERE aggregate_id = ?", orderId))
                .isEqualTo(2);
        assertThat(confirmationsOf(orderId)).isEqualTo(1);
    }

    @Test
    void a_poison_event_dies_with_its_reason_and_is_replayed_by_its_id_after_the_fix() throws Exception {
        String orderId = post("/orders", order("poison", "5")).body.path("id").asText();
        await().atMost(PATIENCE).until(() -> statusOf(orderId).equals("DEAD"));
        JsonNode dead = eventOf(orderId, get("/events/dead").body);
        assertThat(dead.path("lastError").asText()).contains("the mail template has no place for this customer");

        post("/mailer/fix", "");
        String replay = "/events/dead/" + dead.path("eventId").asText() + "/replay";
        assertThat(post(replay, "").body.path("replayed").asInt()).isEqualTo(1);

        await().atMost(PATIENCE).until(() -> statusOf(orderId).equals("DONE"));
        assertThat(confirmationsOf(orderId)).isEqualTo(1);
        Answer again = post(replay, "");
        assertThat(again.status).isEqualTo(400);
        assertThat(again.body.path("rule").asText()).isEqualTo("must be the id of a DEAD event");
    }

    @Test
    void all_dead_events_are_replayed_at_once() throws Exception {
        String first = post("/orders", order("poison", "1")).body.path("id").asText();
        String second = post("/orders", order("poison", "2")).body.path("id").asText();
        await().atMost(PATIENCE)
                .until(() -> statusOf(first).equals("DEAD") && statusOf(second).equals("DEAD"));

        post("/mailer/fix", "");
        assertThat(post("/events/dead/replay", "").body.path("replayed").asInt())
                .isEqualTo(2);

        await().atMost(PATIENCE)
                .until(() -> statusOf(first).equals("DONE") && statusOf(second).equals("DONE"));
        assertThat(get("/events/dead").body).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"amount\": 1}                             | customer | must be a text of 1 to 100 characters | null",
                "{\"customer\": \" \", \"amount\": 1}        | customer | must be a text of 1 to 100 characters | ` `",
                "{\"customer\": \"Ada\"}                     | amount   | must be a number from 0 to 1000000    | null",
                "{\"customer\": \"Ada\", \"amount\": -1}     | amount   | must be a number from 0 to 1000000    | -1",
                "{\"customer\": \"Ada\", \"amount\": 0.001}  | amount   | must have at most 2 decimal places    | 0.001",
                "{\"customer\": \"Ada\", \"amount\": \"x\"}  | amount   | must be a number                      | x",
                "{\"customer\": {}, \"amount\": 1}           | customer | must be a text                        | something else",
                "{\"customer\": \"Ada\", \"price\": 1}       | price    | must be one of [customer, amount]     | an unknown field",
                "[]                                          | body     | must be a JSON object with customer and amount | something else",
                "nonsense                                    | body     | must be a JSON object with customer and amount | something else",
            })
    void a_bad_order_is_refused_with_field_rule_and_value(String body, String field, String rule, String value)
            throws Exception {
        assertRefused(post("/orders", body), field, rule, value);
    }

    @Test
    void a_bad_query_is_refused_with_field_rule_and_value() throws Exception {
        assertRefused(get("/events?status=LOST"), "status", "must be one of [NEW, DONE, RETRY, DEAD]", "LOST");
        assertRefused(get("/events?limit=0"), "limit", "must be a number from 1 to 1000", "0");
        assertRefused(get("/events/dead?limit=many"), "limit", "must be a number", "many");
    }

    @Test
    void only_this_machine_can_reach_the_server() {
        assertThat(environment.getProperty("server.address")).isEqualTo("127.0.0.1");
    }

    private static void assertRefused(Answer answer, String field, String rule, String value) {
        assertThat(answer.status).isEqualTo(400);
        assertThat(answer.body.path("field").asText()).isEqualTo(field);
        assertThat(answer.body.path("rule").asText()).isEqualTo(rule);
        assertThat(answer.body.path("value").asText()).isEqualTo(value);
    }

    private static String order(String customer, String amount) {
        return "{\"customer\": \"" + customer + "\", \"amount\": " + amount + "}";
    }

    private String statusOf(String orderId) throws Exception {
        return eventOf(orderId, get("/events?limit=1000").body).path("status").asText();
    }

    private static JsonNode eventOf(String orderId, JsonNode events) {
        for (JsonNode event : events) {
            if (event.path("aggregateId").asText().equals(orderId)) {
                return event;
            }
        }
        throw new AssertionError("No event of order " + orderId + " in " + events);
    }

    private long confirmationsOf(String orderId) {
        return count("SELECT COUNT(*) FROM confirmations WHERE order_id = ?", orderId);
    }

    private long count(String sql, Object... params) {
        return jdbc.sql(sql).params(params).query(Long.class).single();
    }

    private record Answer(int status, JsonNode body) {}

    private Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    private Answer post(String path, String body) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(PATIENCE);
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), json.readTree(response.body()));
    }
}
