package outbox.jackson3;

import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.OutboxPayloadSerializer;
import outbox.jackson.PayloadCases;

class Jackson3PayloadsTest extends PayloadCases {

    @Override
    protected OutboxPayloadSerializer serializer() {
        return new Jackson3Payloads();
    }

    @Override
    protected OutboxPayloadDeserializer deserializer() {
        return new Jackson3Payloads();
    }
}
