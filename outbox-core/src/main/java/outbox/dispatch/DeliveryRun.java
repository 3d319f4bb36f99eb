package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Hold;
import outbox.internal.outcome.Outcome;
import outbox.internal.outcome.Verdicts;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.LeaseStore.Suspicion;

/** The loop of the workers: take an event, deliver it, hand on what became of it. Any number of threads may run it. */
final class DeliveryRun implements Runnable {

    /** What a worker is told, and tells, while it works. */
    interface Shift {

        /** Whether the time to end in peace is over. */
        boolean isForcedToStop();

        /** A listener is about to be called. */
        void begins();

        /** It has come back. */
        void ends();
    }

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final EventFlow flow;
    private final Listeners listeners;
    private final Verdicts verdicts;
    private final CompletionBuffer completions;
    private final Shift shift;

    DeliveryRun(EventFlow flow, Listeners listeners, Verdicts verdicts, CompletionBuffer completions, Shift shift) {
        this.flow = flow;
        this.listeners = listeners;
        this.verdicts = verdicts;
        this.completions = completions;
        this.shift = shift;
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
        boolean waits = false;
        try {
            waits = listeners.waits(event.envelope());
            // An interrupt that came late was meant for the listener before, unless it is that of a forced stop.
            boolean stopped = Thread.interrupted() && isForcedToStop();
            Completion completion = !waits && !stopped && flow.begin(event) ? deliver(event) : null;
            handedOn = completion != null && handOn(event, completion);
        } finally {
            if (!handedOn) {
                flow.letGo(event);
            }
        }
        if (waits) {
            flow.comesAfter(Duration.ZERO); // the poll makes it free for others
        }
    }

    /** Returns null if the outcome must not be recorded. */
    private @Nullable Completion deliver(QueuedEvent event) {
        Hold hold = flow.holdOn(event);
        Suspicion suspicion = flow.suspicionOf(event);
        Outcome undelivered = suspicion == null ? null : verdicts.onSuspicion(suspicion, () -> holdsKey(event));
        if (undelivered != null) {
            return completion(event, undelivered, Completion.NOT_DELIVERED).under(hold);
        }
        if (suspicion != null && !flow.writeDown(event)) {
            return putOff(event, suspicion, hold);
        }
        if (Thread.interrupted() && isForcedToStop()) {
            return null; // it was meant for us, and the listener would not hear of it
        }
        flow.intake().begins(event);
        long start = System.nanoTime();
        Throwable failure = call(event);
        long nanos = System.nanoTime() - start;
        boolean interrupted = Thread.interrupted(); // the flag belongs to the listener
        LOG.log(Level.TRACE, () -> flow.names().of(event.envelope()) + " delivered, interrupted: " + interrupted);
        if (failure == null) {
            return completion(event, Outcome.DONE, nanos).under(hold);
        }
        if (isForcedToStop()) {
            // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
            LOG.log(
                    Level.WARNING,
                    flow.names().of(event.envelope()) + " was interrupted by the shutdown and stays pending");
            return null;
        }
        Outcome outcome = verdicts.onFailure(event.envelope(), event.attempts(), failure, () -> holdsKey(event));
        return completion(event, outcome, nanos)
                .under(hold)
                .told(listeners.telling(event.envelope(), event.attempts(), outcome, failure));
    }

    /** Given back, a suspect that may not begin beside others would be found by the next claim again, before all that is due later. */
    private @Nullable Completion putOff(QueuedEvent event, Suspicion suspicion, @Nullable Hold hold) {
        Duration wait = flow.waitForOthers(event);
        return wait == null
                ? null
                : completion(event, new Outcome.Postponed(wait, suspicion.crashes(), true), Completion.NOT_DELIVERED)
                        .under(hold);
    }

    private @Nullable Throwable call(QueuedEvent event) {
        shift.begins();
        try {
            return listeners.deliver(event.envelope());
        } finally {
            shift.ends();
        }
    }

    private boolean holdsKey(QueuedEvent event) {
        return flow.hasKey(event) && listeners.holdKeyWhenDead(event.envelope());
    }

    private Completion completion(QueuedEvent event, Outcome outcome, long nanos) {
        boolean cold = event.source() == QueuedEvent.Source.COLD;
        return Completion.of(event.envelope(), cold, event.attempts(), outcome, nanos, flow.names());
    }

    /** What has been handed on must not be given back, whatever happens afterwards. */
    private boolean handOn(QueuedEvent event, Completion completion) {
        if (completions.put(completion)) {
            hurry(event);
            return true;
        }
        LOG.log(
                Level.WARNING,
                "{0} ended after the dispatcher had been closed and will be delivered again",
                completion);
        return false;
    }

    private void hurry(QueuedEvent event) {
        try {
            flow.delivered(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot hurry the record of an event that others wait for", LoggedError.of(e));
        }
    }

    private boolean isForcedToStop() {
        return shift.isForcedToStop();
    }
}
