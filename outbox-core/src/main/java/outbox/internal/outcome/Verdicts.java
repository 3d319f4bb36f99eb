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
import outbox.FailureClassifier;
import outbox.FailureKind;
import outbox.RetryAfterException;
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
     * @param classifier tells what a failure means
     */
    public record Rules(
            IntToLongFunction delayMs,
            long longestDelayMs,
            int maxAttempts,
            int crashBudget,
            Predicate<Throwable> isFinal,
            BiFunction<EventEnvelope, Throwable, String> summary,
            Clock clock,
            FailureClassifier classifier) {

        /** Of failures nothing more is known than what they say themselves. */
        public Rules(
                IntToLongFunction delayMs,
                long longestDelayMs,
                int maxAttempts,
                int crashBudget,
                Predicate<Throwable> isFinal,
                BiFunction<EventEnvelope, Throwable, String> summary,
                Clock clock) {
            this(
                    delayMs,
                    longestDelayMs,
                    maxAttempts,
                    crashBudget,
                    isFinal,
                    summary,
                    clock,
                    FailureClassifier.ownExceptions());
        }
    }

    /** No database could store the time after a longer one that a policy may come to by doubling; as long as a listener may ask for. */
    private static final long LONGEST_DELAY_MS = Duration.ofDays(366).toMillis();

    /** How far causes are followed: they may be circular. */
    private static final int MOST_CAUSES = 50;

    /**
     * What a failure means.
     *
     * @param wish when and how the listener wants it repeated; null if it has said nothing about that
     */
    private record Meaning(FailureKind kind, @Nullable RetryAfterException wish) {

        private static final Meaning UNKNOWN = new Meaning(FailureKind.TRANSIENT, null);
    }

    public Verdicts(Rules rules) {
        this.rules = rules;
    }

    /**
     * What becomes of an event whose delivery has failed.
     *
     * @param attempts how many deliveries had failed before
     * @param holdsKey asked if the event ends: whether later ones of its key must wait for a person
     */
    public Verdict onFailure(EventEnvelope event, int attempts, Throwable failure, BooleanSupplier holdsKey) {
        String error = summary(event, failure);
        Meaning meaning = meaningOf(failure);
        RetryAfterException wish = meaning.wish;
        if (wish != null && !wish.isCounted()) {
            return later(wish.delay(), error);
        }
        if (wish == null && meaning.kind == FailureKind.AWAY) {
            return later(Duration.ofMillis(delayMs(attempts + 1)), error);
        }
        boolean permanent = meaning.kind == FailureKind.PERMANENT || rules.isFinal.test(failure);
        if (permanent || attempts >= rules.maxAttempts - 1) {
            return new Verdict.Dead(error, holdsKey.getAsBoolean());
        }
        Duration delay = wish == null ? Duration.ofMillis(delayMs(attempts + 1)) : wish.delay();
        return new Verdict.Retry(rules.clock.instant().plus(delay), delay, error);
    }

    /** An event is to be delivered after a time, without counting an attempt. */
    public Verdict later(Duration delay, String reason) {
        return new Verdict.Later(rules.clock.instant().plus(delay), delay, ErrorText.limit(reason));
    }

    /** What the failure means. */
    public FailureKind kindOf(Throwable failure) {
        return meaningOf(failure).kind;
    }

    /** The outermost exception of which something is known decides. A classifier that fails knows nothing. */
    private Meaning meaningOf(Throwable failure) {
        Throwable error = failure;
        for (int depth = 0; error != null && depth < MOST_CAUSES; depth++) {
            if (error instanceof RetryAfterException wish) {
                return new Meaning(FailureKind.TRANSIENT, wish);
            }
            FailureKind kind = classified(error);
            if (kind != null) {
                return new Meaning(kind, null);
            }
            error = error.getCause();
        }
        return Meaning.UNKNOWN;
    }

    private @Nullable FailureKind classified(Throwable error) {
        try {
            return rules.classifier.kindOf(error);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "FailureClassifier failed; the failure counts as one that may not come again", e);
            return null;
        }
    }

    /**
     * The same rules, but for what a listener has of its own.
     *
     * @param delayMs how long an event waits after that many failures; null for these
     * @param maxAttempts after how many failures it is DEAD; null for these
     * @param classifier asked first; null for these
     */
    public Verdicts with(
            @Nullable IntToLongFunction delayMs,
            @Nullable Integer maxAttempts,
            @Nullable FailureClassifier classifier) {
        return new Verdicts(new Rules(
                delayMs == null ? rules.delayMs : delayMs,
                rules.longestDelayMs,
                maxAttempts == null ? rules.maxAttempts : maxAttempts,
                rules.crashBudget,
                rules.isFinal,
                rules.summary,
                rules.clock,
                classifier == null ? rules.classifier : classifier.orElse(rules.classifier)));
    }

    /**
     * What becomes of an event that was taken over from an owner that is gone, before it is delivered again; null if it may be.
     *
     * @param holdsKey asked if the event ends: whether later ones of its key must wait for a person
     */
    public @Nullable Verdict onSuspicion(Suspicion suspicion, BooleanSupplier holdsKey) {
        int crashes = suspicion.crashes();
        if (crashes == 0 || (suspicion.waited() && crashes < rules.crashBudget)) {
            return null;
        }
        return crashes < rules.crashBudget
                ? new Verdict.Postponed(Duration.ofMillis(delayMs(crashes)), crashes)
                : new Verdict.Dead(RowWords.endedItsProcess(crashes), holdsKey.getAsBoolean());
    }

    private long delayMs(int failures) {
        try {
            return Math.min(LONGEST_DELAY_MS, Math.max(0, rules.delayMs.applyAsLong(failures)));
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
