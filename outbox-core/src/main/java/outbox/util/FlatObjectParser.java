package outbox.util;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON object whose values are strings or null, strictly by RFC 8259. Messages give positions, never content, because
 * they end up in logs and in the table's error column.
 */
final class FlatObjectParser {

    private final String json;
    private int position;

    FlatObjectParser(String json) {
        this.json = json;
    }

    Map<String, @Nullable String> parse() {
        Map<String, @Nullable String> result = new LinkedHashMap<>();
        skipWhitespace();
        expect('{');
        skipWhitespace();
        if (!accept('}')) {
            do {
                readMember(result);
            } while (accept(','));
            expect('}');
        }
        skipWhitespace();
        if (position != json.length()) {
            throw malformed("text after the object");
        }
        return result;
    }

    private void readMember(Map<String, @Nullable String> result) {
        skipWhitespace();
        String key = readString();
        skipWhitespace();
        expect(':');
        skipWhitespace();
        result.put(key, readValue());
        skipWhitespace();
    }

    private @Nullable String readValue() {
        if (json.startsWith("null", position)) {
            position += 4;
            return null;
        }
        return readString();
    }

    private String readString() {
        expect('"');
        StringBuilder text = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                String result = text.toString();
                DefaultJsonCodec.requirePairedSurrogates(result);
                return result;
            }
            if (c < 0x20) {
                throw malformed("unescaped control character");
            }
            text.append(c == '\\' ? readEscape() : c);
        }
    }

    private char readEscape() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> readUnicodeEscape();
            default -> throw malformed("unknown escape");
        };
    }

    private char readUnicodeEscape() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char c = next();
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw malformed("bad unicode escape");
            }
            code = code << 4 | digit;
        }
        return (char) code;
    }

    private void skipWhitespace() {
        while (position < json.length() && " \t\r\n".indexOf(json.charAt(position)) >= 0) {
            position++;
        }
    }

    private boolean accept(char wanted) {
        if (position < json.length() && json.charAt(position) == wanted) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(char wanted) {
        if (!accept(wanted)) {
            throw malformed("expected '" + wanted + "'");
        }
    }

    private char next() {
        if (position == json.length()) {
            throw malformed("unexpected end");
        }
        return json.charAt(position++);
    }

    private IllegalArgumentException malformed(String what) {
        return new IllegalArgumentException(
                "Not a flat JSON object of strings: " + what + " at position " + position + " of " + json.length());
    }
}
