package outbox.jdbc.purge;

import java.time.Duration;
import java.time.Instant;

/**
 * The times of the events in a partition.
 *
 * @param from inclusive
 * @param to exclusive
 */
record TimeRange(Instant from, Instant to) {

    /** The range that contains a time, of those that follow each other without a gap from the epoch on. */
    static TimeRange around(Instant time, Duration length) {
        long millis = length.toMillis();
        Instant from = Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), millis) * millis);
        return new TimeRange(from, from.plus(length));
    }

    TimeRange following(int steps) {
        Duration distance = length().multipliedBy(steps);
        return new TimeRange(from.plus(distance), to.plus(distance));
    }

    Duration length() {
        return Duration.between(from, to);
    }

    boolean isEmpty() {
        return !from.isBefore(to);
    }

    boolean overlaps(TimeRange other) {
        return from.isBefore(other.to) && other.from.isBefore(to);
    }

    /** What is left of it from that time on. */
    TimeRange since(Instant time) {
        return time.isAfter(from) ? new TimeRange(time, to) : this;
    }
}
