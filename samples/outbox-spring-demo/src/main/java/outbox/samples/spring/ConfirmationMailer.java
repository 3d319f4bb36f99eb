package outbox.samples.spring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import outbox.EventEnvelope;
import outbox.EventListener;

/**
 * Confirms orders to customers. The customer "flaky" is reached at the third attempt only, and the customer "poison" meets a bug
 * until that is fixed.
 */
@Component
class ConfirmationMailer implements EventListener {

    private static final Logger LOG = LoggerFactory.getLogger(ConfirmationMailer.class);
    private static final int FLAKY_FAILURES = 2;

    private final JdbcClient jdbc;
    private final ObjectMapper json;
    private final Map<String, Integer> flakyAttempts = new ConcurrentHashMap<>();
    private volatile boolean fixed;

    ConfirmationMailer(JdbcClient jdbc, ObjectMapper json) {
        this.jdbc = jdbc;
        this.json = json;
    }

    @Override
    public void onEvent(EventEnvelope event) throws IOException {
        JsonNode order = json.readTree(event.payloadJson());
        switch (order.path("customer").asText()) {
            case "flaky" -> connect(event.eventId());
            case "poison" -> render();
            default -> {}
        }
        confirm(event.eventId(), order.path("id").asText());
    }

    /** Whether the bug that the customer "poison" meets is fixed. */
    boolean isFixed() {
        return fixed;
    }

    void setFixed(boolean fixed) {
        this.fixed = fixed;
    }

    private void connect(String eventId) throws IOException {
        int attempt = flakyAttempts.merge(eventId, 1, Integer::sum);
        if (attempt <= FLAKY_FAILURES) {
            throw new IOException("the mail server did not answer, attempt " + attempt);
        }
        flakyAttempts.remove(eventId);
    }

    private void render() {
        if (!fixed) {
            throw new IllegalStateException("the mail template has no place for this customer");
        }
    }

    /** The key makes a repeated delivery harmless. */
    private void confirm(String eventId, String orderId) {
        jdbc.sql("MERGE INTO confirmations KEY (event_id) VALUES (?, ?)")
                .params(eventId, orderId)
                .update();
        LOG.info("Order {} is confirmed", orderId);
    }
}
