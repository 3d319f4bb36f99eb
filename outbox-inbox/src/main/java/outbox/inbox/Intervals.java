package outbox.inbox;

import java.time.Duration;

/** Checks the pauses of periodic tasks. */
final class Intervals {

    private Intervals() {}

    static Duration positive(Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("interval must be positive, was " + interval);
        }
        return interval;
    }
}
