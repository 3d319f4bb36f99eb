package outbox.dispatch;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When the delayed events that were written in this process fall due. Pollers are asked for the first of these times only, and for the next
 * one when that has come: there may be a million of them. What was not noted is found by the polls that come anyway.
 */
final class DueTimes {

    private static final int MOST_NOTED = 10_000;
    private static final Duration GRAIN = Duration.ofMillis(10);

    private final PollRequests pollRequests;
    private final Clock clock;
    private final NavigableSet<Instant> times = new TreeSet<>();
    private @Nullable Instant asked;

    DueTimes(PollRequests pollRequests, Clock clock) {
        this.pollRequests = pollRequests;
        this.clock = clock;
    }

    void addAfter(Duration delay) {
        add(clock.instant().plus(delay));
    }

    synchronized void add(Instant due) {
        times.add(roundedUp(due));
        if (times.size() > MOST_NOTED) {
            times.pollLast();
        }
        askForFirst();
    }

    /** A poll begins, which finds what has fallen due by now. */
    synchronized void pollStarting() {
        times.headSet(clock.instant(), true).clear();
        askForFirst();
    }

    private void askForFirst() {
        if (!times.isEmpty() && !times.first().equals(asked)) {
            asked = times.first();
            pollRequests.pollAt(asked);
        }
    }

    private static Instant roundedUp(Instant due) {
        long grain = GRAIN.toMillis();
        return Instant.ofEpochMilli((Math.floorDiv(due.toEpochMilli(), grain) + 1) * grain);
    }
}
