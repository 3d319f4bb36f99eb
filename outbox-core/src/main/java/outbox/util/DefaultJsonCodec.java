package outbox.util;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link JsonCodec} without dependencies: compact output in the map's order, strict input, flat objects of strings. */
public final class DefaultJsonCodec implements JsonCodec {

    static final DefaultJsonCodec INSTANCE = new DefaultJsonCodec();

    /** Creates a codec; it has no state, so {@link JsonCodec#getDefault()} serves as well. */
    public DefaultJsonCodec() {}

    @Override
    public @Nullable String toJson(@Nullable Map<String, @Nullable String> headers) {
        if (headers == null || headers.isEmpty()) {
            return null;
        }
        StringBuilder out = new StringBuilder(headers.size() * 32).append('{');
        for (Map.Entry<String, @Nullable String> header : headers.entrySet()) {
            if (out.length() > 1) {
                out.append(',');
            }
            appendKey(out, header.getKey());
            appendValue(out.append(':'), header.getValue());
        }
        return out.append('}').toString();
    }

    @Override
    public Map<String, @Nullable String> parseObject(@Nullable String json) {
        if (json == null || json.isBlank() || json.strip().equals("null")) {
            return Map.of();
        }
        return new FlatObjectParser(json).parse();
    }

    private static void appendKey(StringBuilder out, @Nullable String key) {
        if (key == null) {
            throw new IllegalArgumentException("headers cannot contain null keys");
        }
        appendString(out, key);
    }

    private static void appendValue(StringBuilder out, @Nullable String value) {
        if (value == null) {
            out.append("null");
        } else {
            appendString(out, value);
        }
    }

    private static void appendString(StringBuilder out, String text) {
        requirePairedSurrogates(text);
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            appendChar(out, text.charAt(i));
        }
        out.append('"');
    }

    private static void appendChar(StringBuilder out, char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < 0x20) {
                    out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
                } else {
                    out.append(c);
                }
            }
        }
    }

    /** A lone half of a pair has no UTF-8 form: the database would reject it or store a question mark. */
    static void requirePairedSurrogates(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    throw new IllegalArgumentException("headers contain an unpaired surrogate");
                }
                i++;
            }
        }
    }
}
