package outbox.purge;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.spi.PurgeRuns.Expiry;

/**
 * How long finished events are kept.
 *
 * @param dead null to keep DEAD events for ever
 */
record Retention(Duration done, @Nullable Duration dead) {

    Expiry at(Instant now) {
        return new Expiry(now.minus(done), dead == null ? null : now.minus(dead));
    }

    boolean isSameForAll() {
        return done.equals(dead);
    }

    /** In words that follow a number of events. */
    static String describe(Expiry expiry) {
        if (expiry.doneBefore().equals(expiry.deadBefore())) {
            return "older than " + expiry.doneBefore();
        }
        return "DONE and older than " + expiry.doneBefore()
                + (expiry.deadBefore() == null ? "" : ", or DEAD and older than " + expiry.deadBefore());
    }
}
