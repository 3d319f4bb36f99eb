package outbox.boot.autoconfigure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Type;
import outbox.boot.PayloadFormat;

/** Payloads by Jackson 2. */
final class Jackson2PayloadFormat implements PayloadFormat {

    private final ObjectMapper mapper;

    Jackson2PayloadFormat(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public String write(Object payload) {
        try {
            return mapper.writeValueAsString(payload);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(payload.getClass().getName() + " cannot be written as JSON", e);
        }
    }

    @Override
    public Object read(String json, Type type) {
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("payload is not JSON of " + type.getTypeName(), e);
        }
    }
}
