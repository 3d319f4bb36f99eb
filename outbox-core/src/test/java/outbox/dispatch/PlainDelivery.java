package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import outbox.Delivery;
import outbox.EventEnvelope;

/** A delivery of which nothing is known but the event. */
record PlainDelivery(EventEnvelope event) implements Delivery {

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public Instant startedAt() {
        return Instant.EPOCH;
    }

    @Override
    public String table() {
        return "";
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.empty();
    }

    @Override
    public boolean extendDeadline(Duration fromNow) {
        return true;
    }

    @Override
    public boolean isStillOwner() {
        return true;
    }

    @Override
    public OptionalLong fencingToken() {
        return OptionalLong.empty();
    }

    @Override
    public OptionalLong sequence() {
        return OptionalLong.empty();
    }
}
