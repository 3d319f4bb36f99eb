package outbox.internal.outcome;

import java.time.Duration;

/** Pauses between tries: each is twice as long as the one before, up to a limit. */
final class GrowingPause {

    private final Duration first;
    private final Duration longest;
    private Duration next;

    GrowingPause(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** The pauses between tries to write the same outcomes. */
    static GrowingPause betweenTries() {
        return new GrowingPause(Duration.ofMillis(50), Duration.ofSeconds(2));
    }

    Duration next() {
        Duration now = next;
        Duration twice = now.multipliedBy(2);
        next = twice.compareTo(longest) < 0 ? twice : longest;
        return now;
    }

    void startOver() {
        next = first;
    }
}
