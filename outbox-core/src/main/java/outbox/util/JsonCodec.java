package outbox.util;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns headers into JSON and back. Implement it to use the JSON library of your project. Must be thread-safe. */
public interface JsonCodec {

    /** The built-in codec, which needs no library and handles flat objects of strings only. */
    static JsonCodec getDefault() {
        return DefaultJsonCodec.INSTANCE;
    }

    /**
     * Writes the headers as a JSON object.
     *
     * @return null for null or empty headers
     * @throws IllegalArgumentException if a key is null
     */
    @Nullable
    String toJson(@Nullable Map<String, @Nullable String> headers);

    /**
     * Reads a JSON object of strings (or nulls).
     *
     * @return an empty map for null, an empty string or {@code null}
     * @throws IllegalArgumentException if the text is not such an object
     */
    Map<String, @Nullable String> parseObject(@Nullable String json);
}
