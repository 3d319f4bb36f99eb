package outbox.boot.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.springframework.core.annotation.AnnotatedElementUtils;
import outbox.boot.EventTypes;
import outbox.boot.InvalidOutboxException;
import outbox.boot.OutboxMapping;
import outbox.boot.Outboxed;

/** How objects of each class become events: as a bean says, or else the annotation, or else by the name of the class. Thread-safe. */
final class EventMappings implements EventTypes {

    private final Map<Class<?>, OutboxMapping<?>> known;

    EventMappings(List<OutboxMapping<?>> given) {
        this.known = new ConcurrentHashMap<>(given.stream()
                .collect(Collectors.toMap(OutboxMapping::source, mapping -> mapping, (one, other) -> {
                    throw new InvalidOutboxException(
                            "there are two OutboxMapping beans for "
                                    + one.source().getName(),
                            "leave one of them out");
                })));
    }

    OutboxMapping<?> of(Class<?> source) {
        return known.computeIfAbsent(source, EventMappings::annotated);
    }

    @Override
    public String eventTypeOf(Class<?> payload) {
        return of(payload).eventType();
    }

    private static <T> OutboxMapping<T> annotated(Class<T> source) {
        OutboxMapping<T> mapping = OutboxMapping.of(source);
        Outboxed said = AnnotatedElementUtils.findMergedAnnotation(source, Outboxed.class);
        if (said == null) {
            return mapping;
        }
        OutboxMapping<T> named = said.type().isEmpty() ? mapping : mapping.named(said.type());
        if (said.aggregate().isEmpty() && said.id().isEmpty()) {
            return named;
        }
        if (said.aggregate().isEmpty() || said.id().isEmpty()) {
            throw new InvalidOutboxException(
                    "@Outboxed on " + source.getName() + " has "
                            + (said.id().isEmpty() ? "an aggregate but no id" : "an id but no aggregate"),
                    "give both, as in @Outboxed(aggregate = \"Order\", id = \"orderId\"), or neither");
        }
        PropertyPath id = new PropertyPath(source, said.id());
        return named.aggregate(said.aggregate(), id::read);
    }

    /** Refuses a class whose events could not be put in order. */
    void requireAggregate(Class<?> source) {
        if (of(source).aggregateType() == null) {
            throw withoutAggregate(source);
        }
    }

    static InvalidOutboxException withoutAggregate(Class<?> source) {
        return new InvalidOutboxException(
                "the outbox keeps order per aggregate, but " + source.getName()
                        + " does not say what its events are about",
                "annotate it with @Outboxed(aggregate = …, id = …), or describe it by an OutboxMapping bean");
    }
}
