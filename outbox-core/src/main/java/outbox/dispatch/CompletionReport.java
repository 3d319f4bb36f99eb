package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;
import outbox.internal.StoredText;
import outbox.spi.EventMetrics.Result;
import outbox.spi.MetricsExporter;

/** Counts and logs what was recorded, and frees the events. */
final class CompletionReport implements CompletionWriter.Listener {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final InFlightEvents inFlight;
    private final NodeLeases leases;
    private final MetricsExporter metrics;
    private final PollRequests pollRequests;
    private final KeyedQueue queue;
    private final Returns returns;

    CompletionReport(
            InFlightEvents inFlight,
            NodeLeases leases,
            MetricsExporter metrics,
            PollRequests pollRequests,
            KeyedQueue queue,
            Returns returns) {
        this.inFlight = inFlight;
        this.leases = leases;
        this.metrics = metrics;
        this.pollRequests = pollRequests;
        this.queue = queue;
        this.returns = returns;
    }

    @Override
    public void recorded(Completion completion) {
        boolean wasLeased = leases.ended(completion.eventId(), completion.attempts());
        if (completion.letsOthersFollow()) {
            inFlight.finished(completion.eventId(), completion.attempts());
            queue.ended(completion);
        } else {
            queue.broke(completion);
            inFlight.ended(completion.eventId(), completion.attempts());
        }
        pollRequests.left(completion.source());
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
            if (wasLeased) {
                pollRequests.pollAfter(retry.delay()); // the delay began with the mark
            } else {
                pollRequests.pollAt(retry.nextAt());
            }
            LOG.log(
                    Level.DEBUG,
                    () -> completion + " failed, next attempt at " + retry.nextAt() + ": "
                            + StoredText.inOneLine(retry.error()));
        } else if (completion.outcome() instanceof Outcome.Dead dead) {
            metrics.incrementDispatchDead();
            countDelivery(completion, Result.FAILURE);
            metrics.eventDead(completion.eventType());
            LOG.log(
                    Level.ERROR,
                    "{0} is DEAD after {1} failed attempt(s): {2}",
                    completion,
                    completion.attempts() + (dead.error() == null ? 0 : 1),
                    dead.error() == null ? "the last attempts left no outcome" : StoredText.inOneLine(dead.error()));
        } else {
            metrics.incrementDispatchSuccess();
            countDelivery(completion, Result.SUCCESS);
            LOG.log(Level.DEBUG, "{0} is DONE", completion);
        }
    }

    private void countDelivery(Completion completion, Result result) {
        if (completion.deliveryNanos() != Completion.NOT_DELIVERED) {
            metrics.eventDispatched(completion.eventType(), result, Duration.ofNanos(completion.deliveryNanos()));
        }
    }

    @Override
    public void tooLate(Completion completion) {
        queue.broke(completion);
        leases.ended(completion.eventId(), completion.attempts());
        inFlight.ended(completion.eventId(), completion.attempts());
        pollRequests.left(completion.source());
        metrics.incrementOutcomeTooLate();
        LOG.log(
                Level.WARNING,
                "{0} had been taken over by another process when its outcome {1} was to be recorded; the outcome is dropped",
                completion,
                completion.outcome().getClass().getSimpleName());
    }

    @Override
    public void givenUp(Completion completion) {
        queue.broke(completion);
        returns.giveBack(completion.eventId(), completion.source());
    }
}
