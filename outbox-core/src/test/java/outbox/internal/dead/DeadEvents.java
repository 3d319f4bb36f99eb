package outbox.internal.dead;

import java.time.Instant;
import outbox.DeadEvent;
import outbox.model.OutboxEvent;
import outbox.testsupport.Events;

/** Events that have ended DEAD. */
final class DeadEvents {

    static final Instant DIED_AT = Instant.parse("2026-02-03T04:05:06.789Z");

    /** What must be in no log and no error text of another event. */
    static final String SECRET = "card-4711-0815";

    private DeadEvents() {}

    static DeadEvent dead(String id) {
        return new DeadEvent(id, Events.TYPE, "Order", "42", "acme", "java.io.IOException: no", 3, true, DIED_AT, null);
    }

    static OutboxEvent row(String id) {
        return new OutboxEvent(
                id, Events.TYPE, "Order", "42", "acme", "{\"card\":\"" + SECRET + "\"}", null, 3, Events.CREATED_AT);
    }
}
