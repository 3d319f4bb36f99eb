package outbox.jackson2;

import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.OutboxPayloadSerializer;
import outbox.jackson.PayloadCases;

class Jackson2PayloadsTest extends PayloadCases {

    @Override
    protected OutboxPayloadSerializer serializer() {
        return new Jackson2Payloads();
    }

    @Override
    protected OutboxPayloadDeserializer deserializer() {
        return new Jackson2Payloads();
    }
}
