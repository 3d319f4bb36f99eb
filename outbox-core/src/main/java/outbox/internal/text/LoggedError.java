package outbox.internal.text;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Logged in place of an error whose message may quote the table's content: same class names, stack traces and causes, other messages.
 * Errors that quote nothing are logged as they are.
 *
 * <p>A database quotes values and rows when it refuses them, PostgreSQL for example the whole row that violates a constraint, whichever
 * column was changed. So the message of an {@link SQLException} is logged only if its SQLState belongs to a class that is about
 * connections, transactions, rights or names.
 */
public final class LoggedError extends Exception {

    private static final long serialVersionUID = 1L;

    private static final Set<String> HARMLESS_STATES =
            Set.of("08", "0A", "25", "28", "3D", "3F", "40", "42", "53", "55", "57", "58");
    /** Messages of MySQL's driver itself, with a state that it uses for much else. A text that never changes quotes nothing. */
    private static final Set<String> HARMLESS_TEXTS = Set.of(
            "Connection is read-only. Queries leading to data modification are not allowed",
            "Connection is read-only. Queries leading to data modification are not allowed.");

    private static final String LEFT_OUT = "(left out)";

    /** Made beforehand: there may be no memory for another one. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    private static final LoggedError UNKNOWN =
            new LoggedError(new Exception(), "an error that cannot be shown, because showing it failed");

    private final String text;

    private LoggedError(Throwable original, String text) {
        super(text);
        this.text = text;
        setStackTrace(original.getStackTrace());
    }

    /** What to log for an error that is not about one event. */
    public static Throwable of(Throwable error) {
        return of(error, null);
    }

    /** What to log for an error that foreign code threw over an event. Never fails, whatever the error is and does. */
    public static Throwable of(Throwable error, @Nullable ContentMask content) {
        try {
            return masked(error, content);
        } catch (Throwable e) {
            return UNKNOWN;
        }
    }

    /**
     * What to log for an error that foreign code threw over an event, in somebody's words. Never fails, whatever the error is and does.
     *
     * @param words what may be said of each of the errors that it consists of
     */
    public static Throwable inWords(Throwable error, Function<Throwable, String> words) {
        try {
            return copy(
                    error,
                    each -> StoredText.inOneLine(JdbcUrl.shortenIn(withoutQuotes(each, words.apply(each)))),
                    new IdentityHashMap<>());
        } catch (Throwable e) {
            return UNKNOWN;
        }
    }

    private static Throwable masked(Throwable error, @Nullable ContentMask content) {
        IdentityHashMap<Throwable, LoggedError> copies = new IdentityHashMap<>();
        LoggedError copy = copy(error, each -> safeText(each, content), copies);
        boolean changed = copies.entrySet().stream()
                .anyMatch(entry -> !entry.getValue().text.equals(textOf(entry.getKey())));
        return changed ? copy : error;
    }

    private static LoggedError copy(
            Throwable error, Function<Throwable, String> words, IdentityHashMap<Throwable, LoggedError> copies) {
        LoggedError known = copies.get(error);
        if (known != null) {
            return known;
        }
        LoggedError copy = new LoggedError(error, words.apply(error));
        copies.put(error, copy);
        Throwable cause = error.getCause();
        if (cause != null && !copies.containsKey(cause)) {
            copy.initCause(copy(cause, words, copies));
        }
        for (Throwable suppressed : error.getSuppressed()) {
            if (!copies.containsKey(suppressed)) {
                copy.addSuppressed(copy(suppressed, words, copies));
            }
        }
        return copy;
    }

    private static String safeText(Throwable error, @Nullable ContentMask content) {
        String text = JdbcUrl.shortenIn(withoutQuotes(error, textOf(error)));
        return content == null ? text : content.apply(text);
    }

    private static boolean isTelling(Throwable error) {
        if (!(error instanceof SQLException refusal)) {
            return false;
        }
        String state = refusal.getSQLState();
        String message = refusal.getMessage();
        if (message != null && HARMLESS_TEXTS.contains(message)) {
            return false;
        }
        return state != null && (state.length() < 2 || !HARMLESS_STATES.contains(state.substring(0, 2)));
    }

    private static String withoutMessage(SQLException refusal) {
        return refusal.getClass().getName() + ": SQLState " + refusal.getSQLState() + ", error "
                + refusal.getErrorCode() + "; the database's message may quote the row and is left out";
    }

    /** An exception made from nothing but a cause has the cause's text as its message. */
    private static String withoutQuotes(Throwable error, String words) {
        if (isTelling(error)) {
            return withoutMessage((SQLException) error);
        }
        String text = words;
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = error.getCause(); cause != null && seen.add(cause); cause = cause.getCause()) {
            String message = isTelling(cause) ? cause.getMessage() : null;
            if (message != null && !message.isEmpty()) {
                text = text.replace(message, LEFT_OUT);
            }
        }
        return text;
    }

    /** The text comes from foreign code, which may itself fail in any way. */
    private static String textOf(Throwable error) {
        try {
            return String.valueOf(error);
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }

    /** The class name of the original, and as much of its message as may be shown. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // a message would be shown behind the name of this class
    public String toString() {
        return text;
    }
}
