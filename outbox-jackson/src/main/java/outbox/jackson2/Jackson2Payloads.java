package outbox.jackson2;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.Objects;
import outbox.domain.DomainEvent;
import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.OutboxPayloadSerializer;

/** Domain events as JSON with Jackson 2. Thread-safe. */
public final class Jackson2Payloads implements OutboxPayloadSerializer, OutboxPayloadDeserializer {

    private final ObjectMapper mapper;

    /**
     * Writes times as ISO 8601 text to the nanosecond and decimals exactly. Ignores fields that the class does not have, so that adding a
     * field needs no new version. A missing number is an error, and so is an object without any readable field.
     */
    public Jackson2Payloads() {
        this(JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
    }

    /**
     * Uses the given mapper. A mapper with default typing instantiates whatever class a payload names; do not use one if others can write
     * to the table.
     */
    public Jackson2Payloads(ObjectMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public String serialize(DomainEvent event) {
        try {
            return mapper.writeValueAsString(event);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(event.getClass().getName() + " cannot be written as JSON", e);
        }
    }

    @Override
    public <E extends DomainEvent> E deserialize(String payload, Class<E> type) {
        try {
            return mapper.readValue(payload, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("payload is not JSON of " + type.getName(), e);
        }
    }
}
