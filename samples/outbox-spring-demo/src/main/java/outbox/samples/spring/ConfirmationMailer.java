package outbox.samples.spring;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import outbox.Delivery;
import outbox.boot.OutboxListener;

/**
 * Confirms orders to customers. The customer "flaky" is reached at the third attempt only, and the customer "poison" meets a bug
 * until that is fixed.
 */
@Component
class ConfirmationMailer {

    private static final Logger LOG = LoggerFactory.getLogger(ConfirmationMailer.class);
    private static final int FLAKY_FAILURES = 2;

    private final JdbcClient jdbc;
    private final Map<String, Integer> flakyAttempts = new ConcurrentHashMap<>();
    private volatile boolean fixed;

    ConfirmationMailer(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Called for each order after its commit, again if it throws. */
    @OutboxListener
    void confirm(OrderPlaced order, Delivery delivery) throws IOException {
        switch (order.customer()) {
            case "flaky" -> connect(delivery.eventId());
            case "poison" -> render();
            default -> {}
        }
        confirm(delivery.eventId(), order.id());
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
        jdbc.sql("INSERT INTO confirmations (event_id, order_id) SELECT :event, :order"
                        + " WHERE NOT EXISTS (SELECT 1 FROM confirmations WHERE event_id = :event)")
                .param("event", eventId)
                .param("order", orderId)
                .update();
        LOG.info("Order {} is confirmed", orderId);
    }
}
