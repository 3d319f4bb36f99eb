package outbox.internal.check;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks of settings; the message names the setting, the rule and the value. */
public final class Require {

    private Require() {}

    /** Returns the value if it is at least the minimum. */
    public static int atLeast(int minimum, int value, String name) {
        atLeast((long) minimum, value, name);
        return value;
    }

    /** Returns the value if it is at least the minimum. */
    public static long atLeast(long minimum, long value, String name) {
        if (value < minimum) {
            throw new IllegalArgumentException(name + " must be >= " + minimum + ", was " + value);
        }
        return value;
    }

    /** Returns the time if it is longer than nothing. */
    public static Duration positive(Duration value, String name) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be longer than zero, was " + value);
        }
        return value;
    }

    /** Returns the text if there is something in it. */
    public static String text(String value, String name) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be empty");
        }
        return value;
    }

    /** Returns the value of a required setting. */
    public static <T> T set(@Nullable T value, String name) {
        if (value == null) {
            throw new NullPointerException(name + " is required");
        }
        return value;
    }
}
