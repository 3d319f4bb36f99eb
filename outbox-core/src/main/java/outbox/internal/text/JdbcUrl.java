package outbox.internal.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What may be shown of a JDBC URL: which driver it is for. Every driver has places of its own for a password, before the host, behind a
 * slash, in parameters after a question mark, a semicolon, a comma or a colon; so nothing of the rest is shown.
 */
public final class JdbcUrl {

    private static final String WORD = "[A-Za-z][\\w+.-]{0,30}:";

    /** A second word is the kind of driver or of database, for example {@code jdbc:oracle:thin:}. */
    private static final Pattern DRIVER =
            Pattern.compile("jdbc:" + WORD + "(?:" + WORD + ")?", Pattern.CASE_INSENSITIVE);

    private static final Pattern IN_TEXT = Pattern.compile("(" + DRIVER.pattern() + ")\\S+", Pattern.CASE_INSENSITIVE);

    private JdbcUrl() {}

    /** The URL up to the words that name the driver. */
    public static String shown(@Nullable String url) {
        if (url == null) {
            return "an unknown URL";
        }
        Matcher driver = DRIVER.matcher(url);
        return driver.lookingAt() ? driver.group() + "…" : "a URL that does not begin with jdbc: and a database";
    }

    /** The text with no more of each URL in it than {@link #shown}. */
    static String shortenIn(String text) {
        return text.contains(":") ? IN_TEXT.matcher(text).replaceAll("$1…") : text;
    }
}
