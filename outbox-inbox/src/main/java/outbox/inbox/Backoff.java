package outbox.inbox;

import java.time.Duration;

/** The pause before a retry: doubled with each failure, up to a maximum. */
final class Backoff {

    /** More doublings than any pause of at least a nanosecond needs to get beyond the longest one. */
    private static final int MOST_DOUBLINGS = 60;

    private Backoff() {}

    /** The pause after so many failures, at least one. */
    static Duration after(int failures, ConsumeOptions options) {
        Duration pause = options.baseBackoff();
        int doublings = Math.min(failures - 1, MOST_DOUBLINGS);
        for (int i = 0; i < doublings && pause.compareTo(options.maxBackoff()) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(options.maxBackoff()) < 0 ? pause : options.maxBackoff();
    }
}
