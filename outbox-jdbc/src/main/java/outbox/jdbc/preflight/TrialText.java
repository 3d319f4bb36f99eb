package outbox.jdbc.preflight;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Texts that show what a connection, a table or a collation makes of them. */
public final class TrialText {

    /** An emoji, Hebrew, Arabic, Chinese and accents: what does not survive in one of the old character sets. */
    public static final String FOREIGN =
            "\uD83D\uDE00 \u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627 \u6F22 \u00DF\u00E9";

    private static final int DIGITS = 16;

    private TrialText() {}

    /** An id that nobody else has: one of 2^64, which ends in a letter that has other forms. */
    public static String newId() {
        String digits = "0".repeat(DIGITS)
                + Long.toHexString(ThreadLocalRandom.current().nextLong());
        return "preflight-" + digits.substring(digits.length() - DIGITS) + "e";
    }

    /**
     * Other texts that some collations take for the same, by what they differ in.
     *
     * @param text ends in an e
     * @param spacesCount whether spaces behind a text make it another one
     */
    public static Map<String, String> lookalikes(String text, boolean spacesCount) {
        String stem = text.substring(0, text.length() - 1);
        Map<String, String> others = new LinkedHashMap<>();
        others.put("upper and lower case", stem + "E");
        others.put("accents", stem + "\u00E9");
        if (spacesCount) {
            others.put("spaces at the end", text + " ");
        }
        return others;
    }

    /** Columns of a query, each of which is 1 if the column of that name equals the parameter. */
    public static List<String> comparisons(String column, int count) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            columns.add("CASE WHEN " + column + " = ? THEN 1 ELSE 0 END");
        }
        return columns;
    }
}
