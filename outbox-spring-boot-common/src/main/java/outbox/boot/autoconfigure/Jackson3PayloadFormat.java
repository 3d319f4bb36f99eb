package outbox.boot.autoconfigure;

import java.lang.reflect.Type;
import outbox.boot.PayloadFormat;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads by Jackson 3. */
final class Jackson3PayloadFormat implements PayloadFormat {

    private final JsonMapper mapper;

    Jackson3PayloadFormat(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public String write(Object payload) {
        try {
            return mapper.writeValueAsString(payload);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(payload.getClass().getName() + " cannot be written as JSON", e);
        }
    }

    @Override
    public Object read(String json, Type type) {
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("payload is not JSON of " + type.getTypeName(), e);
        }
    }
}
