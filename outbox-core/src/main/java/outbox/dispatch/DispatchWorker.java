package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The loop of one worker thread: take an event, deliver it, record what became of it, free it. */
final class DispatchWorker implements Runnable {

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final FairEventQueue queue;
    private final QueueDepthReporter depths;
    private final InFlightEvents inFlight;
    private final EventDelivery delivery;
    private final FailureJudge judge;
    private final OutcomeRecorder recorder;
    private final CountDownLatch forcedStop;

    DispatchWorker(
            FairEventQueue queue,
            QueueDepthReporter depths,
            InFlightEvents inFlight,
            EventDelivery delivery,
            FailureJudge judge,
            OutcomeRecorder recorder,
            CountDownLatch forcedStop) {
        this.queue = queue;
        this.depths = depths;
        this.inFlight = inFlight;
        this.delivery = delivery;
        this.judge = judge;
        this.recorder = recorder;
        this.forcedStop = forcedStop;
    }

    @Override
    public void run() {
        while (!isForcedToStop()) {
            try {
                QueuedEvent event = queue.take();
                if (event == null) {
                    return;
                }
                process(event);
            } catch (InterruptedException e) {
                // Only a forced stop ends the loop: an interrupt may also be left over from a listener.
                LOG.log(Level.DEBUG, "Worker interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Dispatcher loop failed; it goes on with the next event", e);
            }
        }
    }

    private void process(QueuedEvent event) {
        boolean recorded = false;
        try {
            depths.changed();
            Throwable failure = delivery.deliver(event.envelope());
            // The flag belongs to the listener; left set it would break the database connection used next.
            boolean interrupted = Thread.interrupted();
            LOG.log(Level.TRACE, "{0} delivered, interrupted: {1}", event, interrupted);
            recorded = record(event, failure);
        } finally {
            if (recorded) {
                inFlight.ended(event);
            } else {
                inFlight.release(event.envelope().eventId());
            }
        }
    }

    private boolean record(QueuedEvent event, @Nullable Throwable failure) {
        if (failure == null) {
            return recorder.record(event, new Outcome.Done());
        }
        if (isForcedToStop()) {
            // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
            LOG.log(Level.WARNING, "{0} was interrupted by the shutdown and stays pending", event.envelope());
            return false;
        }
        return recorder.record(event, judge.judge(event, failure));
    }

    private boolean isForcedToStop() {
        return forcedStop.getCount() == 0;
    }
}
