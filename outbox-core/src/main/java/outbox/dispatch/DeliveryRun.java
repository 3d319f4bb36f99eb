package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/** The loop of one worker thread: take an event, deliver it, hand on what became of it. */
final class DeliveryRun implements Runnable {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final EventFlow flow;
    private final EventDelivery delivery;
    private final FailureJudge judge;
    private final CompletionBuffer completions;
    private final CountDownLatch forcedStop;

    DeliveryRun(
            EventFlow flow,
            EventDelivery delivery,
            FailureJudge judge,
            CompletionBuffer completions,
            CountDownLatch forcedStop) {
        this.flow = flow;
        this.delivery = delivery;
        this.judge = judge;
        this.completions = completions;
        this.forcedStop = forcedStop;
    }

    @Override
    public void run() {
        while (!isForcedToStop()) {
            try {
                QueuedEvent event = flow.next();
                if (event == null) {
                    return;
                }
                process(event);
            } catch (InterruptedException e) {
                // Only a forced stop ends the loop: an interrupt may also be left over from a listener.
                LOG.log(Level.DEBUG, "Worker interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Dispatcher loop failed; it goes on with the next event", LoggedError.of(e));
            }
        }
    }

    /** From here on the event is in flight until its outcome is recorded, or is freed here if there will be none. */
    private void process(QueuedEvent event) {
        boolean handedOn = false;
        try {
            // An interrupt that came late was meant for the listener before.
            boolean unused = Thread.interrupted();
            Completion completion = flow.begin(event) ? deliver(event) : null;
            handedOn = completion != null && handOn(event, completion);
        } finally {
            if (!handedOn) {
                flow.letGo(event);
            }
        }
    }

    /** Returns null if the outcome must not be recorded. */
    private @Nullable Completion deliver(QueuedEvent event) {
        if (flow.isLeased(event) && judge.isUsedUp(event)) {
            // The row tells why.
            return Completion.of(event, dead(event, null), Completion.NOT_DELIVERED, flow.names());
        }
        if (Thread.interrupted() && isForcedToStop()) {
            return null; // it was meant for us, and the listener would not hear of it
        }
        long start = System.nanoTime();
        Throwable failure = delivery.deliver(event.envelope());
        long nanos = System.nanoTime() - start;
        boolean interrupted = Thread.interrupted(); // the flag belongs to the listener
        LOG.log(Level.TRACE, "{0} delivered, interrupted: {1}", event, interrupted);
        if (failure == null) {
            return Completion.of(event, Outcome.DONE, nanos, flow.names());
        }
        if (isForcedToStop()) {
            // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
            LOG.log(
                    Level.WARNING,
                    flow.names().of(event.envelope()) + " was interrupted by the shutdown and stays pending");
            return null;
        }
        Outcome outcome = judge.judge(event, failure);
        Outcome end = outcome instanceof Outcome.Dead dead ? dead(event, dead.error()) : outcome;
        return Completion.of(event, end, nanos, flow.names());
    }

    private Outcome dead(QueuedEvent event, @Nullable String error) {
        return new Outcome.Dead(error, flow.hasKey(event) && delivery.holdsKeyWhenDead(event.envelope()));
    }

    /** What has been handed on must not be given back, whatever happens afterwards. */
    private boolean handOn(QueuedEvent event, Completion completion) {
        if (completions.put(completion)) {
            flow.delivered(event);
            return true;
        }
        LOG.log(
                Level.WARNING,
                "{0} ended after the dispatcher had been closed and will be delivered again",
                completion);
        return false;
    }

    private boolean isForcedToStop() {
        return forcedStop.getCount() == 0;
    }
}
