package outbox.boot.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import outbox.Outbox;

/** Actuator's endpoint {@code outbox}: what waits, what is DEAD, who delivers. It changes nothing. */
@Endpoint(id = "outbox")
final class OutboxEndpoint {

    private final Map<String, Outbox> outboxes;

    /** @param outboxes by the names of their beans */
    OutboxEndpoint(Map<String, Outbox> outboxes) {
        this.outboxes = outboxes;
    }

    /** All outboxes. */
    @ReadOperation
    Map<String, Object> all() {
        Map<String, Object> reports = new LinkedHashMap<>();
        outboxes.forEach((name, outbox) -> reports.put(name, OutboxReport.full(outbox)));
        return reports;
    }

    /** One of them; null, which Actuator answers with 404, if there is none of that name. */
    @ReadOperation
    @Nullable
    Map<String, Object> one(@Selector String name) {
        Outbox outbox = outboxes.get(name);
        return outbox == null ? null : OutboxReport.full(outbox);
    }
}
