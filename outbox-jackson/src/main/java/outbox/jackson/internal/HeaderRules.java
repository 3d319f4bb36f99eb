package outbox.jackson.internal;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules of the built-in codec for headers, for whatever library writes and reads the JSON. */
public final class HeaderRules {

    private HeaderRules() {}

    /** Writes headers; nothing is null. */
    public static @Nullable String toJson(
            @Nullable Map<String, @Nullable String> headers, Function<Map<String, @Nullable String>, String> writer) {
        if (headers == null || headers.isEmpty()) {
            return null;
        }
        headers.forEach(HeaderRules::requireWritable);
        return writer.apply(headers);
    }

    /** Reads headers; null, blank and {@code null} are nothing. */
    public static Map<String, @Nullable String> parseObject(
            @Nullable String json, Function<String, Map<String, @Nullable String>> reader) {
        if (json == null || json.isBlank() || json.strip().equals("null")) {
            return Map.of();
        }
        Map<String, @Nullable String> headers = reader.apply(json);
        headers.forEach(HeaderRules::requireWritable);
        return headers;
    }

    private static void requireWritable(@Nullable String key, @Nullable String value) {
        if (key == null) {
            throw new IllegalArgumentException("headers cannot contain null keys");
        }
        if (!isUnicode(key) || (value != null && !isUnicode(value))) {
            throw new IllegalArgumentException("headers must be valid Unicode, but one contains half a surrogate pair");
        }
    }

    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
