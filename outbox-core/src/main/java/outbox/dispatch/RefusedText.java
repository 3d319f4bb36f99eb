package outbox.dispatch;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is stored of an error whose text the database does not take. */
final class RefusedText {

    static final String NOTHING_LEFT = "(error text refused by the database)";

    /** The class name with which texts begin, if it is one that every database takes. */
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9_.$]{1,100})(:.*)?", Pattern.DOTALL);

    private RefusedText() {}

    static String of(String error) {
        Matcher name = NAME.matcher(error);
        return name.matches() ? name.group(1) : NOTHING_LEFT;
    }
}
