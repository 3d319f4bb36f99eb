package outbox.poller;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxFigures;
import outbox.model.Relaying;

/** What shows that a poller is at work. */
final class PollSigns {

    private static final Duration PATIENCE = Duration.ofSeconds(45);

    private final long patienceNanos;
    private final LongSupplier nanoTime;
    private volatile @Nullable Instant lastPoll;
    private volatile @Nullable Long lastRound;

    /** @param longestPause between two rounds */
    PollSigns(Duration longestPause, LongSupplier nanoTime) {
        this.patienceNanos = PATIENCE.plus(longestPause).toNanos();
        this.nanoTime = nanoTime;
    }

    /** The table was asked, and has answered. */
    void polled(Instant now) {
        lastPoll = now;
    }

    /** A round has ended well, whether or not there was room for anything. */
    void roundEnded() {
        lastRound = nanoTime.getAsLong();
    }

    /** @param polls whether rounds are meant to go on */
    OutboxFigures figures(boolean polls) {
        Long last = lastRound;
        boolean relays = polls && last != null && nanoTime.getAsLong() - last < patienceNanos;
        return new OutboxFigures(lastPoll, null, 0, relays ? Relaying.SOMEBODY : Relaying.UNKNOWN, null);
    }
}
