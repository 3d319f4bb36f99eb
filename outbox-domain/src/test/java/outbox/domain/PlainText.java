package outbox.domain;

import java.util.Map;
import java.util.function.Function;

/** A serializer for the tests' events, with the parts joined by bars inside a JSON string. */
final class PlainText implements OutboxPayloadSerializer, OutboxPayloadDeserializer {

    private static final Map<Class<?>, Function<String[], DomainEvent>> FORMS = Map.of(
            Order.Placed.class, parts -> new Order.Placed(parts[0], Order.AT, parts[1]),
            Order.Paid.class, parts -> new Order.Paid(parts[0], Order.AT, Long.parseLong(parts[1])));

    @Override
    public String serialize(DomainEvent event) {
        if (event instanceof Order.Placed placed) {
            return text(placed.eventId(), placed.customer());
        }
        if (event instanceof Order.Paid paid) {
            return text(paid.eventId(), Long.toString(paid.cents()));
        }
        throw new IllegalArgumentException("no form for " + event.getClass());
    }

    @Override
    public <E extends DomainEvent> E deserialize(String payload, Class<E> type) {
        String[] parts = payload.substring(1, payload.length() - 1).split("\\|");
        return type.cast(FORMS.get(type).apply(parts));
    }

    static String text(String... parts) {
        return '"' + String.join("|", parts) + '"';
    }
}
