package outbox.jackson2;

import outbox.domain.OutboxPayloadDeserializer;
import outbox.jackson.EvolutionCases;

class Jackson2EvolutionTest extends EvolutionCases {

    @Override
    protected OutboxPayloadDeserializer payloads() {
        return new Jackson2Payloads();
    }
}
