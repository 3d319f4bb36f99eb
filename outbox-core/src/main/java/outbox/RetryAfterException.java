package outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown by a listener that knows when the next attempt is worth while. */
public class RetryAfterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Duration delay;
    private final boolean counted;

    /** The delivery counts as an attempt. */
    public RetryAfterException(Duration delay, String message) {
        this(delay, true, message, null);
    }

    /**
     * As thrown by who knows whose fault it is.
     *
     * @param counted whether the delivery counts as an attempt
     * @param message is stored as the event's last error; no payload
     * @throws IllegalArgumentException if the delay is negative or longer than a year
     */
    public RetryAfterException(Duration delay, boolean counted, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.delay = new Outcome.RetryAfter(delay, counted, message, cause).delay();
        this.counted = counted;
    }

    /** After which time the event is delivered again. */
    public Duration delay() {
        return delay;
    }

    /** Whether the delivery counts as an attempt. */
    public boolean isCounted() {
        return counted;
    }
}
