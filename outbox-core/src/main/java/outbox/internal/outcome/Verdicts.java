package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.text.ErrorText;
import outbox.internal.text.RowWords;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;
import outbox.spi.LeaseStore.Suspicion;

/** Decides what becomes of an event that could not be delivered. Whatever the user's parts throw is no second failure of the event. */
public final class Verdicts {

    private static final Logger LOG = SafeLog.of(Verdicts.class);

    private final Rules rules;

    /**
     * By which rules is decided.
     *
     * @param delayMs how long an event waits after that many failures, in milliseconds
     * @param longestDelayMs how long it waits if that cannot be said
     * @param maxAttempts after how many failures it is DEAD
     * @param crashBudget how often in a row it may end its process in a delivery that was written down
     * @param isFinal tells failures that no other attempt would change
     * @param summary what is stored of an error
     * @param clock by which the time of the next attempt is reckoned
     */
    public record Rules(
            IntToLongFunction delayMs,
            long longestDelayMs,
            int maxAttempts,
            int crashBudget,
            Predicate<Throwable> isFinal,
            BiFunction<EventEnvelope, Throwable, String> summary,
            Clock clock) {}

    public Verdicts(Rules rules) {
        this.rules = rules;
    }

    /**
     * What becomes of an event whose delivery has failed.
     *
     * @param attempts how many deliveries had failed before
     * @param holdsKey asked if the event ends: whether later ones of its key must wait for a person
     */
    public Outcome onFailure(EventEnvelope event, int attempts, Throwable failure, BooleanSupplier holdsKey) {
        String error = summary(event, failure);
        if (attempts >= rules.maxAttempts - 1 || rules.isFinal.test(failure)) {
            return new Outcome.Dead(error, holdsKey.getAsBoolean());
        }
        Duration delay = Duration.ofMillis(delayMs(attempts + 1));
        return new Outcome.Retry(rules.clock.instant().plus(delay), delay, error);
    }

    /**
     * What becomes of an event that was taken over from an owner that is gone, before it is delivered again; null if it may be.
     *
     * @param holdsKey asked if the event ends: whether later ones of its key must wait for a person
     */
    public @Nullable Outcome onSuspicion(Suspicion suspicion, BooleanSupplier holdsKey) {
        int crashes = suspicion.crashes();
        if (crashes == 0 || (suspicion.waited() && crashes < rules.crashBudget)) {
            return null;
        }
        return crashes < rules.crashBudget
                ? new Outcome.Postponed(Duration.ofMillis(delayMs(crashes)), crashes)
                : new Outcome.Dead(RowWords.endedItsProcess(crashes), holdsKey.getAsBoolean());
    }

    private long delayMs(int failures) {
        try {
            return Math.max(0, rules.delayMs.applyAsLong(failures));
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "RetryPolicy failed for attempt " + failures + ", using the longest default delay", e);
            return rules.longestDelayMs;
        }
    }

    /** A summary that fails must not show what it should have hidden. */
    public String summary(EventEnvelope event, Throwable failure) {
        try {
            return ErrorText.limit(Objects.requireNonNull(rules.summary.apply(event, failure), "summary"));
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "ErrorSummary failed for event " + StoredText.inOneLine(event.eventId()) + ": "
                            + e.getClass().getName());
            return failure.getClass().getName();
        }
    }
}
