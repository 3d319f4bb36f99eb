package outbox.poller;

import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/** Turns a row back into the event that was written. */
final class RowDecoder {

    private final JsonCodec codec;

    RowDecoder(JsonCodec codec) {
        this.codec = codec;
    }

    EventEnvelope decode(OutboxEvent row) {
        return EventEnvelope.builder(row.eventType())
                .eventId(row.eventId())
                .occurredAt(row.createdAt())
                .aggregateType(row.aggregateType())
                .aggregateId(row.aggregateId())
                .tenantId(row.tenantId())
                .headers(codec.parseObject(row.headersJson()))
                .payloadJson(row.payloadJson())
                .build();
    }
}
