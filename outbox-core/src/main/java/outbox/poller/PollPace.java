package outbox.poller;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import outbox.internal.task.PeriodicTask;

/**
 * When a poller polls, and how many rows one poll may fetch.
 *
 * <ul>
 *   <li><b>Idle pauses.</b> The pause between two polls doubles with each poll that found nothing, up to ten times the interval but not
 *       beyond five seconds (a longer interval stays as it is), and is the interval again as soon as something was found. Events that this
 *       process wrote do not depend on it: the poller is woken for those. <li><b>Waiting events.</b> An event that waits for others is
 *       looked for again soon, then less and less often, up to the interval: what it waits for may end in another process, which tells nobody.
 *   <li><b>Batch limit.</b> A handler may not know how large rows are, or may be wrong about it. If a poll runs out of memory, the next
 *       one fetches half as many rows; each full batch that fits doubles the limit again. A poll that found fewer proves nothing.
 * </ul>
 *
 * <p>Called by one poll at a time; only {@link #pause()} may be called by any thread.
 */
final class PollPace {

    private static final Duration LONGEST_IDLE_PAUSE = Duration.ofSeconds(5);
    private static final int LARGEST_IDLE_FACTOR = 10;
    private static final Duration FIRST_LOOK = Duration.ofMillis(10);

    private final Duration interval;
    private final Duration longestPause;
    private final int batchSize;
    private volatile Duration pause;
    private Duration nextLook = FIRST_LOOK;
    private int maxRows;

    PollPace(Duration interval, int batchSize) {
        this.interval = interval;
        this.longestPause = max(interval, min(interval.multipliedBy(LARGEST_IDLE_FACTOR), LONGEST_IDLE_PAUSE));
        this.batchSize = batchSize;
        this.pause = interval;
        this.maxRows = batchSize;
    }

    /** The pause before the next regular poll. */
    Duration pause() {
        return pause;
    }

    Duration longestPause() {
        return longestPause;
    }

    /** Said after each poll that could read the table. */
    void polled(boolean found) {
        pause = found ? interval : min(pause.multipliedBy(2), longestPause);
    }

    /** Returns whether to poll again after {@link #nextLook()}, before the regular poll. */
    boolean looksAgain(boolean found, boolean othersWait) {
        if (found || !othersWait) {
            nextLook = FIRST_LOOK;
            return othersWait;
        }
        nextLook = min(nextLook.multipliedBy(2), interval);
        return nextLook.compareTo(interval) < 0;
    }

    Duration nextLook() {
        return nextLook;
    }

    int batchSize() {
        return batchSize;
    }

    /** How many rows the next poll may fetch, given how many there is room for. */
    int limit(int capacity) {
        return Math.min(maxRows, capacity);
    }

    /** Said when a poll with this limit did not run out of memory. */
    void fitted(int limit, int found) {
        if (limit == maxRows && found >= limit) {
            maxRows = (int) Math.min(batchSize, 2L * maxRows);
        }
    }

    /** Said when a poll with this limit ran out of memory. */
    void didNotFit(int limit) {
        maxRows = Math.max(1, limit / 2);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** An event may be due but still too young to be found, so a request waits at least until it is old enough. */
    record Trigger(PeriodicTask schedule, Clock clock, Duration skipRecent) implements PollTrigger {

        @Override
        public void pollNow() {
            schedule.runSoon();
        }

        @Override
        public void pollAt(Instant due) {
            schedule.runAfter(max(Duration.between(clock.instant(), due), skipRecent));
        }
    }
}
