package outbox.poller;

import java.time.Duration;

/**
 * The pause between two polls. It doubles with each poll that found nothing, up to ten times the interval but not beyond five seconds
 * (an interval that is longer stays as it is), and is the interval again as soon as something was found. What this process itself has
 * waiting does not depend on it: the poller is woken for that.
 */
final class IdleBackoff {

    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final int LARGEST_FACTOR = 10;

    private final Duration interval;
    private final Duration longest;
    private volatile Duration pause;

    IdleBackoff(Duration interval) {
        Duration factored = interval.multipliedBy(LARGEST_FACTOR);
        Duration bounded = factored.compareTo(LONGEST) < 0 ? factored : LONGEST;
        this.interval = interval;
        this.longest = bounded.compareTo(interval) > 0 ? bounded : interval;
        this.pause = interval;
    }

    Duration pause() {
        return pause;
    }

    void polled(boolean found) {
        Duration twice = pause.multipliedBy(2);
        pause = found ? interval : twice.compareTo(longest) < 0 ? twice : longest;
    }
}
