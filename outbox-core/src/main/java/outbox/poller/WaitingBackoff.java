package outbox.poller;

import java.time.Duration;

/**
 * How soon to look again for events that wait for others: at first soon, then less and less often, up to the interval of the poller.
 * Whoever ends what they wait for may be another process, which does not tell.
 */
final class WaitingBackoff {

    private static final Duration FIRST = Duration.ofMillis(10);

    private final Duration longest;
    private Duration pause = FIRST;

    WaitingBackoff(Duration longest) {
        this.longest = longest;
    }

    /** Returns whether to look again after {@link #pause()}. */
    boolean polled(boolean found, boolean othersWait) {
        if (found || !othersWait) {
            pause = FIRST;
            return othersWait;
        }
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(longest) < 0 ? twice : longest;
        return pause.compareTo(longest) < 0;
    }

    Duration pause() {
        return pause;
    }
}
