package outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is moved. Thread-safe. */
public final class ManualClock extends Clock {

    private final AtomicReference<Instant> now;
    private final ZoneId zone;

    private ManualClock(AtomicReference<Instant> now, ZoneId zone) {
        this.now = now;
        this.zone = zone;
    }

    /** A clock that shows the given time, in UTC. */
    public static ManualClock at(Instant start) {
        return new ManualClock(new AtomicReference<>(Objects.requireNonNull(start, "start")), ZoneOffset.UTC);
    }

    /** Moves the clock, back if the step is negative, and returns the new time. */
    public Instant advance(Duration step) {
        return Objects.requireNonNull(now.updateAndGet(time -> time.plus(step)));
    }

    /** Sets the clock. */
    public void set(Instant time) {
        now.set(Objects.requireNonNull(time, "time"));
    }

    @Override
    public Instant instant() {
        return Objects.requireNonNull(now.get());
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    /** A view of this clock in another zone: moving one moves both. */
    @Override
    public Clock withZone(ZoneId zone) {
        return new ManualClock(now, zone);
    }
}
