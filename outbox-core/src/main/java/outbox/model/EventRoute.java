package outbox.model;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;

/**
 * A kind of event, by which its listener is found.
 *
 * @param aggregateType {@code __GLOBAL__} for events that name none
 */
public record EventRoute(String aggregateType, String eventType) {

    public EventRoute {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
    }

    /** The route of a row; one without an aggregate type belongs to {@link AggregateType#GLOBAL}. */
    public static EventRoute of(@Nullable String aggregateType, String eventType) {
        return new EventRoute(aggregateType == null ? AggregateType.GLOBAL.name() : aggregateType, eventType);
    }
}
