package outbox.internal.text;

/**
 * Makes a foreign text, such as the message of an exception, fit for a text column on every database.
 *
 * <p>PostgreSQL cannot store NUL, and no database can store half of a surrogate pair. So control characters other than tab and line feed
 * are escaped, NUL for example as {@code \}{@code u0000}, and a lone surrogate becomes U+FFFD. Widths are counted in UTF-16 units, of
 * which a text never has fewer than the characters that a database counts: PostgreSQL, MySQL and MariaDB count code points, H2 UTF-16 units.
 */
public final class StoredText {

    private static final String ELLIPSIS = "...";
    private static final char REPLACEMENT = '\uFFFD';

    private StoredText() {}

    /** The text without what a database may refuse, cut to the width; a text that was cut ends in dots. Applying it again changes nothing. */
    public static String fit(String text, int width) {
        if (text.length() <= width && isClean(text)) {
            return text;
        }
        StringBuilder clean = new StringBuilder(Math.min(text.length(), width) + 16);
        for (int i = 0; i < text.length() && clean.length() <= width; i += Character.charCount(text.codePointAt(i))) {
            append(clean, text, i);
        }
        return clean.length() <= width ? clean.toString() : cut(clean, width);
    }

    /** The text without anything that would begin a new line in a log, where the rest could pass for an entry of its own. */
    public static String inOneLine(String text) {
        String clean = fit(text, Integer.MAX_VALUE);
        return clean.indexOf('\n') < 0 && clean.indexOf('\u2028') < 0 && clean.indexOf('\u2029') < 0
                ? clean
                : clean.replace("\n", "\\n").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
    }

    /**
     * Refuses a text that must be stored unchanged but cannot be.
     *
     * @param name names the text in the message
     */
    public static void requireStorable(String name, String text) {
        int index = firstUnstorable(text);
        if (index >= 0) {
            throw new IllegalArgumentException(inOneLine(name) + " must not contain "
                    + (text.charAt(index) == 0 ? "U+0000" : "half of a surrogate pair")
                    + ", which not every database can store; found at index " + index
                    + ": leave it out or encode it");
        }
    }

    /** Whether every database can store the text as it is. */
    public static boolean canBeStored(String text) {
        return firstUnstorable(text) < 0;
    }

    /** The index of the first character that some database cannot store; -1 if there is none. */
    static int firstUnstorable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || isLoneSurrogate(text, i)) {
                return i;
            }
            if (Character.isHighSurrogate(c)) {
                i++;
            }
        }
        return -1;
    }

    private static boolean isClean(String text) {
        return text.chars().noneMatch(c -> isWrittenOut((char) c)) && firstUnstorable(text) < 0;
    }

    private static void append(StringBuilder clean, String text, int index) {
        char c = text.charAt(index);
        if (c == '\r' && index + 1 < text.length() && text.charAt(index + 1) == '\n') {
            return;
        }
        if (isWrittenOut(c)) {
            clean.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
        } else if (isLoneSurrogate(text, index)) {
            clean.append(REPLACEMENT);
        } else {
            clean.appendCodePoint(text.codePointAt(index));
        }
    }

    private static boolean isWrittenOut(char c) {
        return Character.isISOControl(c) && c != '\t' && c != '\n';
    }

    private static boolean isLoneSurrogate(String text, int index) {
        char c = text.charAt(index);
        if (!Character.isSurrogate(c)) {
            return false;
        }
        return Character.isLowSurrogate(c)
                || index + 1 == text.length()
                || !Character.isLowSurrogate(text.charAt(index + 1));
    }

    private static String cut(StringBuilder clean, int width) {
        int end = width - ELLIPSIS.length();
        if (Character.isHighSurrogate(clean.charAt(end - 1))) {
            end--;
        }
        return clean.substring(0, end) + ELLIPSIS;
    }
}
