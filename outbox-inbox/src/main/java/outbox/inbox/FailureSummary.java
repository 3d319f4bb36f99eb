package outbox.inbox;

import outbox.internal.ErrorText;

/** What is recorded of a failure: at most 256 characters, and nothing of the payload. */
final class FailureSummary {

    static final int MAX_LENGTH = 256;

    private static final String ELLIPSIS = "...";

    /** So many characters in a row that are also in the payload count as a quotation: fewer may well be there by chance. */
    private static final int QUOTATION = 12;

    private FailureSummary() {}

    /** The class and the message of the error, or the class alone if the message quotes the payload. */
    static String of(Throwable error, String payload) {
        String text = ErrorText.of(error);
        return limit(quotes(text, payload) ? error.getClass().getName() + " (its message quotes the payload)" : text);
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
        if (text.length() <= MAX_LENGTH) {
            return text;
        }
        int end = MAX_LENGTH - ELLIPSIS.length();
        if (Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + ELLIPSIS;
    }
}
