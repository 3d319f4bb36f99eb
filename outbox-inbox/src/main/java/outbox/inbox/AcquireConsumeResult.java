package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a consumer that asked for an event.
 *
 * @param state what it was told
 * @param retryCount how often the event has failed before, an expired lease included; 0 unless it was acquired
 * @param retryIn with {@link AcquireConsumeState#IN_PROGRESS}: how long until the lease expires or the retry is due, if known
 */
public record AcquireConsumeResult(
        AcquireConsumeState state, int retryCount, @Nullable Duration retryIn) {

    public AcquireConsumeResult {
        Objects.requireNonNull(state, "state");
    }

    /** A result without details. */
    public static AcquireConsumeResult of(AcquireConsumeState state) {
        return new AcquireConsumeResult(state, 0, null);
    }

    /** Whether the event is the caller's to handle. */
    public boolean acquired() {
        return state == AcquireConsumeState.ACQUIRED || state == AcquireConsumeState.RETRYABLE_FAILED;
    }
}
