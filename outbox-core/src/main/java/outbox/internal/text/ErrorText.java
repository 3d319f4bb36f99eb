package outbox.internal.text;

import org.jspecify.annotations.Nullable;

/** The text that is stored for an error: of bounded length, in characters that every database can store, never null. */
public final class ErrorText {

    /** The longest text that is stored. */
    public static final int MAX_LENGTH = 4000;

    private ErrorText() {}

    /** The class and message of the error, or the class alone if it has no message. No password in a JDBC URL, see {@link JdbcUrl}. */
    public static String of(Throwable error) {
        return limit(JdbcUrl.shortenIn(asThrown(error)));
    }

    /** As {@link #of(Throwable)}, but with the message as it is, whatever its length and characters. */
    public static String asThrown(Throwable error) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return message == null || message.isBlank() ? name : name + ": " + message;
    }

    /** As {@link #of(Throwable)}, with the event's content masked. */
    public static String of(Throwable error, ContentMask content) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return limit(
                message == null || message.isBlank() ? name : name + ": " + content.apply(JdbcUrl.shortenIn(message)));
    }

    /** The message comes from foreign code, which may itself fail in any way. */
    private static @Nullable String messageOf(Throwable error) {
        try {
            return error.getMessage();
        } catch (Throwable e) {
            return null;
        }
    }

    /**
     * Cuts the text to {@link #MAX_LENGTH} characters, and removes what a database may refuse, see {@link StoredText}. What begins like a word
     * that the library itself writes and reads again, see {@link RowWords}, does not do so afterwards.
     */
    public static String limit(@Nullable String error) {
        return error == null ? RowWords.UNKNOWN_ERROR : RowWords.withoutWords(StoredText.fit(error, MAX_LENGTH));
    }
}
