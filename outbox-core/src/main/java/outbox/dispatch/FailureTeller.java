package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.outcome.Telling;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.FoldedFailures;
import outbox.internal.text.FoldedFailures.Kind;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;

/** Decides which failures of deliveries are told in full: the first one of each event and the one that ends it, unless there is a flood of them. */
final class FailureTeller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final BiFunction<EventEnvelope, Throwable, String> summary;
    private final FoldedFailures folded;

    /** @param summary what may be logged of an error; never fails */
    FailureTeller(BiFunction<EventEnvelope, Throwable, String> summary, LongSupplier nanoTime) {
        this.summary = summary;
        this.folded = new FoldedFailures(LOG, nanoTime);
    }

    /**
     * How a failure is told; null if it is one of those in between. Nothing escapes.
     *
     * @param attempts how many deliveries had failed before
     */
    @Nullable
    Telling of(EventEnvelope event, int attempts, Verdict outcome, Throwable failure) {
        boolean dead = outcome instanceof Verdict.Dead;
        if (!dead && attempts > 0) {
            return null;
        }
        try {
            String type = '"' + StoredText.inOneLine(event.eventType()) + '"';
            Kind kind = dead
                    ? Kind.of(Level.ERROR, "events of type " + type + " are DEAD", failure)
                    : Kind.of(Level.WARNING, "first failures of events of type " + type, failure);
            long others = folded.next(kind);
            return others == FoldedFailures.COUNTED
                    ? Telling.COUNTED
                    : new Telling(LoggedError.inWords(failure, error -> summary.apply(event, error)), others);
        } catch (Throwable e) {
            return null; // it is told as far as it can be without
        }
    }

    /** Tells how many were not told, if the time for it has come. */
    void tick() {
        folded.tick();
    }

    /** Tells how many were not told. */
    void close() {
        folded.close();
    }
}
