package outbox.internal.outcome;

import org.jspecify.annotations.Nullable;

/**
 * How the log tells of a failure.
 *
 * @param shown the error, fit to be logged; null if the failure is only counted, because others of its kind were told a moment ago
 * @param others how many others of its kind were only counted before it
 */
public record Telling(@Nullable Throwable shown, long others) {

    /** Others of its kind were told a moment ago. */
    public static final Telling COUNTED = new Telling(null, 0);
}
