package outbox.proof.node;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The clock of a machine whose time somebody sets. */
final class SteppedClock extends Clock {

    private volatile Duration ahead = Duration.ZERO;

    void stepTo(Duration newAhead) {
        ahead = newAhead;
    }

    @Override
    public Instant instant() {
        return Instant.now().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    /** Nobody asks for another zone. */
    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException();
    }
}
