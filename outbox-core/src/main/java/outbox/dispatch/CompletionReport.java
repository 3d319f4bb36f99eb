package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.internal.StoredText;
import outbox.spi.EventMetrics.Result;
import outbox.spi.MetricsExporter;

/** Tells the flow of events what was recorded, counts it and logs it. */
final class CompletionReport implements CompletionWriter.Listener {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final EventFlow flow;
    private final MetricsExporter metrics;

    CompletionReport(EventFlow flow, MetricsExporter metrics) {
        this.flow = flow;
        this.metrics = metrics;
    }

    @Override
    public void recorded(Completion completion) {
        boolean wasLeased = flow.recorded(completion);
        try {
            tell(completion, wasLeased);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot tell what became of an event; it is recorded", LoggedError.of(e));
        }
    }

    /** The event is free by now; nothing here changes that. */
    private void tell(Completion completion, boolean wasLeased) {
        if (completion.outcome() instanceof Outcome.Retry retry) {
            metrics.incrementDispatchFailure();
            countDelivery(completion, Result.FAILURE);
            flow.retryComes(retry, wasLeased);
            LOG.log(
                    Level.DEBUG,
                    () -> completion + " failed, next attempt at " + retry.nextAt() + ": "
                            + StoredText.inOneLine(retry.error()));
        } else if (completion.outcome() instanceof Outcome.Dead dead) {
            metrics.incrementDispatchDead();
            countDelivery(completion, Result.FAILURE);
            metrics.eventDead(completion.eventType());
            LOG.log(Level.ERROR, completion + " is DEAD after " + failures(completion, dead) + ": " + reason(dead));
        } else {
            metrics.incrementDispatchSuccess();
            countDelivery(completion, Result.SUCCESS);
            LOG.log(Level.DEBUG, "{0} is DONE", completion);
        }
    }

    private static String failures(Completion completion, Outcome.Dead dead) {
        return (completion.attempts() + (dead.error() == null ? 0 : 1)) + " failed attempt(s)";
    }

    private static String reason(Outcome.Dead dead) {
        return dead.error() == null ? "the last attempts left no outcome" : StoredText.inOneLine(dead.error());
    }

    private void countDelivery(Completion completion, Result result) {
        if (completion.deliveryNanos() != Completion.NOT_DELIVERED) {
            metrics.eventDispatched(completion.eventType(), result, Duration.ofNanos(completion.deliveryNanos()));
        }
    }

    @Override
    public void tooLate(Completion completion) {
        flow.tooLate(completion);
        metrics.incrementOutcomeTooLate();
        LOG.log(
                Level.WARNING,
                "{0} had been taken over by another process when its outcome {1} was to be recorded; the outcome is dropped",
                completion,
                completion.outcome().getClass().getSimpleName());
    }

    @Override
    public void givenUp(Completion completion) {
        flow.givenUp(completion);
    }
}
