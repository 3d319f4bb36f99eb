package outbox.jackson3;

import java.util.Objects;
import outbox.domain.DomainEvent;
import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.OutboxPayloadSerializer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Domain events as JSON with Jackson 3. Thread-safe. */
public final class Jackson3Payloads implements OutboxPayloadSerializer, OutboxPayloadDeserializer {

    private final ObjectMapper mapper;

    /**
     * Writes times as ISO 8601 text to the nanosecond and decimals exactly. Ignores fields that the class does not have, so that adding a
     * field needs no new version. A missing number is an error, and so is an object without any readable field.
     */
    public Jackson3Payloads() {
        this(JsonMapper.builder()
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
    }

    /**
     * Uses the given mapper. A mapper with default typing instantiates whatever class a payload names; do not use one if others can write
     * to the table.
     */
    public Jackson3Payloads(ObjectMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public String serialize(DomainEvent event) {
        try {
            return mapper.writeValueAsString(event);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(event.getClass().getName() + " cannot be written as JSON", e);
        }
    }

    @Override
    public <E extends DomainEvent> E deserialize(String payload, Class<E> type) {
        try {
            return mapper.readValue(payload, type);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("payload is not JSON of " + type.getName(), e);
        }
    }
}
