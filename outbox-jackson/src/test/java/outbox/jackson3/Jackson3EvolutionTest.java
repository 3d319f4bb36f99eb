package outbox.jackson3;

import outbox.domain.OutboxPayloadDeserializer;
import outbox.jackson.EvolutionCases;

class Jackson3EvolutionTest extends EvolutionCases {

    @Override
    protected OutboxPayloadDeserializer payloads() {
        return new Jackson3Payloads();
    }
}
