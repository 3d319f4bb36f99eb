package outbox.testsupport;

import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent;
import outbox.model.OutboxEvent;

/** Events of aggregates, which have an order. */
public final class KeyedEvents {

    public static final String AGGREGATE_TYPE = "Order";

    private KeyedEvents() {}

    public static EventEnvelope keyed(String id, String aggregateId) {
        return EventEnvelope.builder(Events.TYPE)
                .eventId(id)
                .aggregateType(AGGREGATE_TYPE)
                .aggregateId(aggregateId)
                .occurredAt(Events.CREATED_AT)
                .payloadJson("{}")
                .build();
    }

    public static QueuedEvent hotOf(String aggregateId, String id) {
        return new QueuedEvent(keyed(id, aggregateId), QueuedEvent.Source.HOT, 0);
    }

    public static QueuedEvent coldOf(String aggregateId, String id) {
        return new QueuedEvent(keyed(id, aggregateId), QueuedEvent.Source.COLD, 0);
    }

    public static OutboxEvent rowOf(String aggregateId, String id) {
        return new OutboxEvent(id, Events.TYPE, AGGREGATE_TYPE, aggregateId, null, "{}", null, 0, Events.CREATED_AT);
    }
}
