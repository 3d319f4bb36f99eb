package outbox.internal;

import org.jspecify.annotations.Nullable;

/** What is kept of an error: one text of bounded length that every database can store, never null. */
public final class ErrorText {

    /** The longest text that is stored. */
    public static final int MAX_LENGTH = 4000;

    private ErrorText() {}

    /** The class and message of the error, or the class alone if it has no message. */
    public static String of(Throwable error) {
        return limit(asThrown(error));
    }

    /** As {@link #of(Throwable)}, with a message of whatever length and characters. */
    public static String asThrown(Throwable error) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return message == null || message.isBlank() ? name : name + ": " + message;
    }

    /** As {@link #of(Throwable)}, without what stands in the event. */
    public static String of(Throwable error, ContentMask content) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return limit(message == null || message.isBlank() ? name : name + ": " + content.apply(message));
    }

    /** The message comes from foreign code, which may fail as well, in whatever way. */
    private static @Nullable String messageOf(Throwable error) {
        try {
            return error.getMessage();
        } catch (Throwable e) {
            return null;
        }
    }

    /** Cuts the text to {@link #MAX_LENGTH} characters, and takes out what a database may refuse; see {@link StoredText}. */
    public static String limit(@Nullable String error) {
        return error == null ? "unknown error" : StoredText.fit(error, MAX_LENGTH);
    }
}
