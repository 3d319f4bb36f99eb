package outbox.inbox;

import outbox.internal.ErrorText;
import outbox.internal.StoredText;

/** What is recorded of a failure: at most 256 characters that every database can store, and nothing of the payload. */
final class FailureSummary {

    static final int MAX_LENGTH = 256;

    /** So many characters in a row that are also in the payload count as a quotation: fewer may well be there by chance. */
    private static final int QUOTATION = 12;

    private FailureSummary() {}

    /** The class and the message of the error, or the class alone if the message quotes the payload. */
    static String of(Throwable error, String payload) {
        String text = beginning(ErrorText.asThrown(error));
        return limit(quotes(text, payload) ? error.getClass().getName() + " (its message quotes the payload)" : text);
    }

    /** More than can be recorded, and not so much that it takes long to compare. */
    private static String beginning(String text) {
        return text.substring(0, Math.min(text.length(), ErrorText.MAX_LENGTH));
    }

    private static boolean quotes(String text, String payload) {
        int length = Math.min(QUOTATION, payload.length());
        for (int i = 0; length > 2 && i + length <= text.length(); i++) {
            if (payload.contains(text.substring(i, i + length))) {
                return true;
            }
        }
        return false;
    }

    static String limit(String text) {
        return StoredText.fit(text, MAX_LENGTH);
    }
}
