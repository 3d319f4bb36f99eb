package outbox.internal.gate;

import java.time.Duration;
import outbox.internal.task.Nanos;

/** Lets so many pass in a time: at most that many at once, and then evenly. Not thread-safe. */
final class RateLimiter {

    private final long nanosEach;
    private final long nanosAhead;

    /** When the next one would pass if all came evenly; those that come in a burst are ahead of it. */
    private long even;

    private boolean begun;

    RateLimiter(int passes, Duration per) {
        this.nanosEach = Math.max(1, Nanos.of(per) / passes);
        this.nanosAhead = Nanos.of(per) - nanosEach;
    }

    /** Lets one pass, or says how long it has to wait, in nanoseconds; 0 if it has passed. */
    long tryPass(long now) {
        if (!begun || even - now < 0) {
            begun = true;
            even = now;
        }
        long wait = even - nanosAhead - now;
        if (wait > 0) {
            return wait;
        }
        even += nanosEach;
        return 0;
    }
}
