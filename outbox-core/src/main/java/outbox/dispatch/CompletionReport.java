package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.spi.MetricsExporter;

/** Counts and logs what was recorded, and frees the events. */
final class CompletionReport implements CompletionWriter.Listener {

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final InFlightEvents inFlight;
    private final MetricsExporter metrics;
    private final PollRequests pollRequests;

    CompletionReport(InFlightEvents inFlight, MetricsExporter metrics, PollRequests pollRequests) {
        this.inFlight = inFlight;
        this.metrics = metrics;
        this.pollRequests = pollRequests;
    }

    @Override
    public void recorded(Completion completion) {
        inFlight.ended(completion.eventId(), completion.attempts());
        pollRequests.left(completion.source());
        if (completion.outcome() instanceof Outcome.Retry retry) {
            metrics.incrementDispatchFailure();
            pollRequests.pollAt(retry.nextAt());
            LOG.log(Level.DEBUG, "{0} failed, next attempt at {1}: {2}", completion, retry.nextAt(), retry.error());
        } else if (completion.outcome() instanceof Outcome.Dead dead) {
            metrics.incrementDispatchDead();
            LOG.log(
                    Level.ERROR,
                    "{0} is DEAD after {1} failed attempt(s): {2}",
                    completion,
                    completion.attempts() + 1,
                    dead.error());
        } else {
            metrics.incrementDispatchSuccess();
            LOG.log(Level.DEBUG, "{0} is DONE", completion);
        }
    }

    @Override
    public void givenUp(Completion completion) {
        inFlight.release(completion.eventId());
        pollRequests.left(completion.source());
    }
}
