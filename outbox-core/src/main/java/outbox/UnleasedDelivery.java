package outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** A delivery by a caller that is no dispatcher: nothing is known of it but the event. */
record UnleasedDelivery(EventEnvelope event, Instant startedAt) implements Delivery {

    UnleasedDelivery(EventEnvelope event) {
        this(event, Instant.now());
    }

    @Override
    public int attempt() {
        return 1;
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
