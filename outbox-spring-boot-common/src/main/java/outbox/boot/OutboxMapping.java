package outbox.boot;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How objects of a class become events, for classes that carry no {@link Outboxed}: a bean of this type says it. Immutable.
 *
 * <pre>{@code
 * @Bean
 * OutboxMapping<OrderPlaced> orderPlaced() {
 *     return OutboxMapping.of(OrderPlaced.class).aggregate("Order", OrderPlaced::orderId);
 * }
 * }</pre>
 *
 * @param <T> the class
 */
public final class OutboxMapping<T> {

    private final Class<T> source;
    private final String eventType;
    private final @Nullable String aggregateType;
    private final Function<? super T, ?> aggregateId;

    private OutboxMapping(
            Class<T> source, String eventType, @Nullable String aggregateType, Function<? super T, ?> aggregateId) {
        this.source = source;
        this.eventType = eventType;
        this.aggregateType = aggregateType;
        this.aggregateId = aggregateId;
    }

    /** Events whose type is the simple name of the class, of no aggregate. */
    public static <T> OutboxMapping<T> of(Class<T> source) {
        return new OutboxMapping<>(source, source.getSimpleName(), null, event -> null);
    }

    /** The type of the events. */
    public OutboxMapping<T> named(String eventType) {
        return new OutboxMapping<>(source, Objects.requireNonNull(eventType, "eventType"), aggregateType, aggregateId);
    }

    /** What the events are about. */
    public OutboxMapping<T> aggregate(String aggregateType, Function<? super T, ?> aggregateId) {
        return new OutboxMapping<>(
                source,
                eventType,
                Objects.requireNonNull(aggregateType, "aggregateType"),
                Objects.requireNonNull(aggregateId, "aggregateId"));
    }

    /** The class. */
    public Class<T> source() {
        return source;
    }

    /** The type of its events. */
    public String eventType() {
        return eventType;
    }

    /** Their aggregate type; null for none. */
    public @Nullable String aggregateType() {
        return aggregateType;
    }

    /** What an event is about; null if that is unknown. */
    public @Nullable String aggregateId(Object event) {
        Object id = aggregateId.apply(source.cast(event));
        return id == null ? null : id.toString();
    }
}
