package outbox.jackson3;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jackson.internal.HeaderRules;
import outbox.util.JsonCodec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** Headers as JSON with Jackson 3, under the same rules as the built-in codec. Thread-safe. */
public final class Jackson3JsonCodec implements JsonCodec {

    /** Not the application's: how headers are stored must not change with its settings. */
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Creates a codec. */
    public Jackson3JsonCodec() {}

    @Override
    public @Nullable String toJson(@Nullable Map<String, @Nullable String> headers) {
        return HeaderRules.toJson(headers, Jackson3JsonCodec::write);
    }

    @Override
    public Map<String, @Nullable String> parseObject(@Nullable String json) {
        return HeaderRules.parseObject(json, Jackson3JsonCodec::read);
    }

    private static String write(Map<String, @Nullable String> headers) {
        try {
            return MAPPER.writeValueAsString(headers);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("headers cannot be written as JSON", e);
        }
    }

    private static Map<String, @Nullable String> read(String json) {
        JsonNode node = parse(json);
        if (!node.isObject()) {
            throw new IllegalArgumentException("headers must be a JSON object, was " + node.getNodeType());
        }
        Map<String, @Nullable String> headers = new LinkedHashMap<>();
        node.properties().forEach(field -> headers.put(field.getKey(), text(field.getValue())));
        return headers;
    }

    private static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            // Without the cause: its message quotes what it stumbled over.
            throw new IllegalArgumentException("headers are not JSON, from character "
                    + (e.getLocation() == null ? 0 : e.getLocation().getCharOffset()) + " on");
        }
    }

    private static @Nullable String text(JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (!value.isString()) {
            throw new IllegalArgumentException("header values must be strings or null, was " + value.getNodeType());
        }
        return value.stringValue();
    }
}
