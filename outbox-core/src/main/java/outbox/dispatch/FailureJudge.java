package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.internal.ErrorText;
import outbox.internal.GuardedRetryPolicy;
import outbox.internal.SafeLog;

/** Decides whether a failed event gets another chance, and when. */
final class FailureJudge {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final RetryPolicy retryPolicy;
    private final int maxAttempts;
    private final ErrorSummary errorSummary;
    private final Clock clock;

    FailureJudge(RetryPolicy retryPolicy, int maxAttempts, ErrorSummary errorSummary, Clock clock) {
        this.retryPolicy = new GuardedRetryPolicy(retryPolicy);
        this.maxAttempts = maxAttempts;
        this.errorSummary = errorSummary;
        this.clock = clock;
    }

    Outcome judge(QueuedEvent event, Throwable failure) {
        String error = summary(event.envelope(), failure);
        if (failure instanceof UnroutableEventException || event.attempts() >= maxAttempts - 1) {
            return new Outcome.Dead(error);
        }
        Duration delay = Duration.ofMillis(retryPolicy.computeDelayMs(event.attempts() + 1));
        return new Outcome.Retry(clock.instant().plus(delay), delay, error);
    }

    /** A summary that fails must not turn into a second failure of the event, and must not show what it should have hidden. */
    private String summary(EventEnvelope event, Throwable failure) {
        try {
            return ErrorText.limit(Objects.requireNonNull(errorSummary.of(event, failure), "summary"));
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "ErrorSummary failed for event " + event.eventId() + ": "
                            + e.getClass().getName());
            return failure.getClass().getName();
        }
    }

    /** Whether the event has had all its attempts without ever failing here: each of them ended together with its process. */
    boolean isUsedUp(QueuedEvent event) {
        return event.attempts() >= maxAttempts;
    }
}
