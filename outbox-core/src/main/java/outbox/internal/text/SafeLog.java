package outbox.internal.text;

import java.util.ResourceBundle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes all loggers of the library. Whatever a logger throws, for example because a disk is full, a parameter cannot be formatted or
 * memory has run out, is dropped together with the line: it must not affect any event, transaction or thread. Parameters are names and
 * values that come from elsewhere, and cannot begin a line of their own.
 */
public final class SafeLog implements System.Logger {

    private final System.Logger log;

    private SafeLog(System.Logger log) {
        this.log = log;
    }

    /** The logger of a class. */
    public static System.Logger of(Class<?> owner) {
        return new SafeLog(System.getLogger(owner.getName()));
    }

    @Override
    public String getName() {
        return log.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
        try {
            return log.isLoggable(level);
        } catch (Throwable e) {
            return false;
        }
    }

    @Override
    public void log(Level level, Supplier<String> text) {
        try {
            log.log(level, text);
        } catch (Throwable e) {
            // The line is lost, and there is no place left to tell it.
        }
    }

    @Override
    public void log(Level level, Supplier<String> text, @Nullable Throwable thrown) {
        try {
            log.log(level, text, thrown);
        } catch (Throwable e) {
            // The line is lost, and there is no place left to tell it.
        }
    }

    @Override
    public void log(Level level, Object shown) {
        try {
            log.log(level, shown);
        } catch (Throwable e) {
            // The line is lost, and there is no place left to tell it.
        }
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
        try {
            log.log(level, bundle, text, thrown);
        } catch (Throwable e) {
            // The line is lost, and there is no place left to tell it.
        }
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            @Nullable String format,
            @Nullable Object @Nullable ... params) {
        try {
            if (log.isLoggable(level)) {
                log.log(level, bundle, format, params == null ? null : inOneLine(params));
            }
        } catch (Throwable e) {
            // The line is lost, and there is no place left to tell it.
        }
    }

    private static @Nullable Object[] inOneLine(@Nullable Object[] params) {
        @Nullable Object[] shown = new Object[params.length];
        for (int i = 0; i < params.length; i++) {
            Object param = params[i];
            shown[i] = param == null || param instanceof Number ? param : StoredText.inOneLine(param.toString());
        }
        return shown;
    }
}
