package outbox.inbox;

import java.util.Objects;

/** What a group does with events of a type. */
record Subscription(String consumerGroup, String eventType, EventHandler handler) {

    Subscription {
        Objects.requireNonNull(consumerGroup, "consumerGroup");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(handler, "handler");
    }

    boolean isSameAs(Subscription other) {
        return consumerGroup.equals(other.consumerGroup) && eventType.equals(other.eventType);
    }
}
