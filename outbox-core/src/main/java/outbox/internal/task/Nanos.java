package outbox.internal.task;

import java.time.Duration;

/** Times in nanoseconds. */
public final class Nanos {

    /** So that a moment and such a time after it can be compared by their difference: more than a century. */
    private static final long LONGEST = Long.MAX_VALUE / 2;

    private Nanos() {}

    /** The time in nanoseconds; one that is too long for that is as good as for ever. */
    public static long of(Duration time) {
        if (time.isNegative()) {
            return 0;
        }
        return time.compareTo(Duration.ofNanos(LONGEST)) > 0 ? LONGEST : time.toNanos();
    }
}
