package outbox.domain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.OutboxWriter;

/**
 * Writes what an aggregate has raised, in the transaction that saves the aggregate. Thread-safe.
 *
 * <p>An aggregate's events leave it when they have been written, and come back if the transaction does not commit: the same object can be
 * saved again in another transaction. Rolling back to a savepoint does not end the transaction and does not bring them back.
 */
public final class DomainEventOutboxService {

    private final OutboxWriter writer;
    private final OutboxPayloadSerializer serializer;
    private final DomainEventTypes types;

    /** A service that stores events under the names that their classes declare. */
    public DomainEventOutboxService(OutboxWriter writer, OutboxPayloadSerializer serializer) {
        this(writer, serializer, DomainEventTypes.of());
    }

    /** A service that stores events of registered classes under their registered names. */
    public DomainEventOutboxService(OutboxWriter writer, OutboxPayloadSerializer serializer, DomainEventTypes types) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.serializer = Objects.requireNonNull(serializer, "serializer");
        this.types = Objects.requireNonNull(types, "types");
    }

    /**
     * Writes the events that wait on the aggregate, in one batch and in their order. If this fails, the aggregate keeps them.
     *
     * @return the ids of the events that were written; empty if none waited or the writer's hook suppressed them
     * @throws OutboxException if an event cannot be serialized; then nothing was written
     * @throws IllegalStateException if events wait and no transaction is active
     */
    public List<String> recordPulledDomainEvents(AggregateRoot aggregate, DomainEventContext context) {
        Objects.requireNonNull(context, "context");
        NavigableMap<Long, DomainEvent> waiting = aggregate.waiting();
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<String> written = writer.writeAll(envelopes(waiting, context));
        // Before they are taken: if the callback cannot be registered, the caller gets the exception and the aggregate
        // keeps its events.
        writer.txContext().afterRollback(() -> aggregate.putBack(waiting));
        aggregate.take();
        return written;
    }

    private List<EventEnvelope> envelopes(NavigableMap<Long, DomainEvent> waiting, DomainEventContext context) {
        List<EventEnvelope> envelopes = new ArrayList<>(waiting.size());
        for (DomainEvent event : waiting.values()) {
            envelopes.add(envelope(event, context));
        }
        return envelopes;
    }

    private EventEnvelope envelope(DomainEvent event, DomainEventContext context) {
        VersionedName name = types.nameOf(event.getClass());
        Map<String, @Nullable String> headers = new LinkedHashMap<>(context.headers());
        headers.put(VersionHeader.NAME, Integer.toString(name.version()));
        return EventEnvelope.builder(name.name())
                .eventId(Objects.requireNonNull(event.eventId(), () -> "eventId of " + name))
                .occurredAt(Objects.requireNonNull(event.occurredAt(), () -> "occurredAt of " + name))
                .aggregateType(context.aggregateType())
                .aggregateId(context.aggregateId())
                .tenantId(context.tenantId())
                .headers(headers)
                .payloadJson(serialized(event, name))
                .build();
    }

    private String serialized(DomainEvent event, VersionedName name) {
        try {
            return Objects.requireNonNull(serializer.serialize(event), "payload");
        } catch (RuntimeException e) {
            throw new OutboxException(
                    "Event " + name + " of " + event.getClass() + " cannot be serialized by "
                            + serializer.getClass().getName() + "; nothing was written",
                    e);
        }
    }
}
