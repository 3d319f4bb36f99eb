package outbox.internal.text;

import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Finds the values in a JSON text, or whatever looks like a value in any other text: strings both with and without their escapes, numbers,
 * words. Member names that are plain identifiers are left out, and so are {@code true}, {@code false} and {@code null}: they show the
 * shape of a payload, which an error message needs.
 */
final class JsonValues {

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Set<String> LITERALS = Set.of("true", "false", "null");
    private static final String SEPARATORS = " \t\r\n{}[],:\"";

    private final String text;
    private final Consumer<String> values;
    private int position;

    private JsonValues(String text, Consumer<String> values) {
        this.text = text;
        this.values = values;
    }

    static void forEach(String text, Consumer<String> values) {
        new JsonValues(text, values).run();
    }

    private void run() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '"') {
                readString();
            } else if (SEPARATORS.indexOf(c) >= 0) {
                position++;
            } else {
                readWord();
            }
        }
    }

    private void readWord() {
        int start = position;
        while (position < text.length() && SEPARATORS.indexOf(text.charAt(position)) < 0) {
            position++;
        }
        String word = text.substring(start, position);
        if (!LITERALS.contains(word)) {
            values.accept(word);
        }
    }

    private void readString() {
        int start = ++position;
        StringBuilder unescaped = new StringBuilder();
        while (position < text.length() && text.charAt(position) != '"') {
            unescaped.append(readChar());
        }
        String raw = text.substring(start, Math.min(position, text.length()));
        position++;
        if (isName() && IDENTIFIER.matcher(raw).matches()) {
            return;
        }
        values.accept(raw);
        if (raw.indexOf('\\') >= 0) {
            values.accept(unescaped.toString());
        }
    }

    private boolean isName() {
        int next = position;
        while (next < text.length() && Character.isWhitespace(text.charAt(next))) {
            next++;
        }
        return next < text.length() && text.charAt(next) == ':';
    }

    private char readChar() {
        char c = text.charAt(position++);
        if (c != '\\' || position == text.length()) {
            return c;
        }
        char escaped = text.charAt(position++);
        return switch (escaped) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> readUnicode();
            default -> escaped;
        };
    }

    private char readUnicode() {
        int end = Math.min(position + 4, text.length());
        try {
            char c = (char) Integer.parseInt(text, position, end, 16);
            position = end;
            return c;
        } catch (NumberFormatException e) {
            return 'u'; // not JSON; the raw text is searched in any case
        }
    }
}
