package outbox.internal;

import org.jspecify.annotations.Nullable;

/** What is kept of an error: one text of bounded length, never null. */
public final class ErrorText {

    /** The longest text that is stored. */
    public static final int MAX_LENGTH = 4000;

    private static final String ELLIPSIS = "...";

    private ErrorText() {}

    /** The class and message of the error, or the class alone if it has no message. */
    public static String of(Throwable error) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return limit(message == null || message.isBlank() ? name : name + ": " + message);
    }

    /** As {@link #of(Throwable)}, without what stands in the event. */
    public static String of(Throwable error, ContentMask content) {
        String name = error.getClass().getName();
        String message = messageOf(error);
        return limit(message == null || message.isBlank() ? name : name + ": " + content.apply(message));
    }

    /** The message comes from foreign code, which may fail as well. */
    private static @Nullable String messageOf(Throwable error) {
        try {
            return error.getMessage();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Cuts the text to {@link #MAX_LENGTH} characters, without splitting a surrogate pair. */
    public static String limit(@Nullable String error) {
        if (error == null) {
            return "unknown error";
        }
        if (error.length() <= MAX_LENGTH) {
            return error;
        }
        int end = MAX_LENGTH - ELLIPSIS.length();
        if (Character.isHighSurrogate(error.charAt(end - 1))) {
            end--;
        }
        return error.substring(0, end) + ELLIPSIS;
    }
}
