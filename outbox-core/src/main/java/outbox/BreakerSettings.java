package outbox;

import java.time.Duration;
import outbox.internal.check.Require;

/**
 * When a listener's breaker opens, and how it looks whether the receiver is back. While it is open, this process leaves the listener's events in
 * the table, no attempt is used up, and other processes may deliver them. Immutable.
 *
 * @param failures how many failures among the last deliveries open it; 0: only failures of the kind {@link FailureKind#AWAY} do
 * @param deliveries how many deliveries that are
 * @param firstPause how long it stays open before the first probe
 * @param longestPause up to which that time doubles with each probe that fails
 * @param probes how many events are delivered at a time to see whether the receiver is back
 */
public record BreakerSettings(int failures, int deliveries, Duration firstPause, Duration longestPause, int probes) {

    public static final Duration DEFAULT_FIRST_PAUSE = Duration.ofSeconds(1);
    public static final Duration DEFAULT_LONGEST_PAUSE = Duration.ofMinutes(1);

    /** Refuses what cannot work. */
    public BreakerSettings {
        Require.atLeast(0, failures, "breaker failures");
        Require.atLeast(failures, deliveries, "breaker deliveries");
        Require.atLeast(1, probes, "breaker probes");
        Require.positive(firstPause, "breaker firstPause");
        if (longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException(
                    "breaker longestPause must be at least firstPause " + firstPause + ", was " + longestPause);
        }
    }

    /** Opens as soon as the receiver is plainly away; the default. Failures of other kinds do not open it. */
    public static BreakerSettings whenAway() {
        return new BreakerSettings(0, 0, DEFAULT_FIRST_PAUSE, DEFAULT_LONGEST_PAUSE, 1);
    }

    /** Opens when the receiver is plainly away, or when so many of the last deliveries have failed, for whatever reason. */
    public static BreakerSettings afterFailures(int failures, int deliveries) {
        Require.atLeast(1, failures, "breaker failures");
        return new BreakerSettings(failures, deliveries, DEFAULT_FIRST_PAUSE, DEFAULT_LONGEST_PAUSE, 1);
    }

    /** How long it stays open before a probe: the first time, doubling up to the longest. */
    public BreakerSettings pauses(Duration first, Duration longest) {
        return new BreakerSettings(failures, deliveries, first, longest, probes);
    }

    /** How many events are delivered at a time to see whether the receiver is back. Default: 1. */
    public BreakerSettings probes(int atATime) {
        return new BreakerSettings(failures, deliveries, firstPause, longestPause, atATime);
    }
}
