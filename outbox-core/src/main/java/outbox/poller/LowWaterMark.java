package outbox.poller;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeaseStore.Position;
import outbox.spi.LeaseStore.Start;

/**
 * Where claims begin to look. What lies before the events that the last claim took is most often finished, but a database may keep entries of
 * finished events in its index for as long as anybody has a transaction open, and each claim from the beginning wades through all of them.
 * So a claim begins where the last one took its first event.
 *
 * <p>Whatever comes to lie before that place, for example what was given back, what was leased by a process that died, and what was committed
 * late, is found by a look from the beginning. There is one as soon as the last one's cost is small against the time that has passed. While
 * looks are cheap, nearly every claim is one. Used by one poll at a time.
 */
final class LowWaterMark {

    /** Looks from the beginning take at most this part of the time. */
    private static final int ONE_PART_OF = 20;

    private final LongSupplier nanoTime;
    private @Nullable Position mark;
    private boolean goingOn;
    private long lookCost;
    private long lookEnded;

    LowWaterMark(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The next claim looks from the beginning: what other claims have left out may lie there. */
    void forget() {
        mark = null;
        goingOn = false;
    }

    /** Where the next claim looks. */
    Start next() {
        if (goingOn) {
            return new Start(mark, true);
        }
        return mark == null || untilNextLook().isZero() ? Start.BEGINNING : new Start(mark, false);
    }

    /**
     * Says that a claim has looked.
     *
     * @param next where the next one may begin; null if it does not know
     * @param unfinished whether it stopped before it had seen all that is due, without having found enough: the next one goes on there
     * @param nanos how long it took
     */
    void looked(Start start, @Nullable Position next, boolean unfinished, long nanos) {
        if (start.thorough()) {
            lookCost = start.from() == null ? nanos : lookCost + nanos;
            lookEnded = nanoTime.getAsLong();
        }
        goingOn = unfinished && next != null;
        if (next != null) {
            mark = next;
        }
    }

    /** How long it takes until a claim looks from the beginning again; zero if the next one does. */
    Duration untilNextLook() {
        long left = lookEnded + ONE_PART_OF * lookCost - nanoTime.getAsLong();
        return left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
    }
}
