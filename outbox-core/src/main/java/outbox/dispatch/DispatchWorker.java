package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import outbox.internal.EventNames;
import outbox.internal.LoggedError;
import outbox.internal.SafeLog;

/** The loop of one worker thread: take an event, deliver it, hand on what became of it. */
final class DispatchWorker implements Runnable {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);
    private static final Duration A_MOMENT = Duration.ofMillis(10);

    private final FairEventQueue queue;
    private final KeyedQueue keys;
    private final Turns turns;
    private final QueueDepthReporter depths;
    private final Returns returns;
    private final NodeLeases leases;
    private final EventDelivery delivery;
    private final FailureJudge judge;
    private final CompletionBuffer completions;
    private final PollRequests pollRequests;
    private final EventNames names;
    private final CountDownLatch forcedStop;

    DispatchWorker(
            FairEventQueue queue,
            KeyedQueue keys,
            Turns turns,
            QueueDepthReporter depths,
            Returns returns,
            NodeLeases leases,
            EventDelivery delivery,
            FailureJudge judge,
            CompletionBuffer completions,
            PollRequests pollRequests,
            EventNames names,
            CountDownLatch forcedStop) {
        this.queue = queue;
        this.keys = keys;
        this.turns = turns;
        this.depths = depths;
        this.returns = returns;
        this.leases = leases;
        this.delivery = delivery;
        this.judge = judge;
        this.completions = completions;
        this.pollRequests = pollRequests;
        this.names = names;
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
            depths.changed();
            pollRequests.roomChanged();
            Completion completion = isItsTurn(event) && mayDeliver(event) ? deliver(event) : null;
            handedOn = completion != null && handOn(event, completion);
        } finally {
            if (!handedOn) {
                letGo(event);
            }
        }
    }

    /** Each step is taken whatever becomes of the one before. */
    private void letGo(QueuedEvent event) {
        try {
            keys.broke(event);
        } finally {
            returns.giveBack(event.envelope().eventId(), event.source());
        }
    }

    private boolean isItsTurn(QueuedEvent event) {
        boolean now = turns.hasCome(event);
        if (!now) {
            pollRequests.pollAfter(A_MOMENT); // to be found again, behind the one that it must wait for
        }
        return now;
    }

    /** An event that waited longer than its lease, because this process stood still, may be with another one by now. */
    private boolean mayDeliver(QueuedEvent event) {
        boolean ours = leases.start(event.envelope().eventId());
        if (!ours) {
            LOG.log(
                    Level.WARNING,
                    "The lease of " + names.of(event.envelope()) + " has run out while it waited; it is left alone");
        }
        return ours;
    }

    /** Returns null if the outcome must not be recorded. */
    private @Nullable Completion deliver(QueuedEvent event) {
        if (leases.held(event.envelope().eventId()) != null && judge.isUsedUp(event)) {
            // The row tells why.
            return Completion.of(event, dead(event, null), Completion.NOT_DELIVERED, names);
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
            return Completion.of(event, Outcome.DONE, nanos, names);
        }
        if (isForcedToStop()) {
            // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
            LOG.log(Level.WARNING, names.of(event.envelope()) + " was interrupted by the shutdown and stays pending");
            return null;
        }
        Outcome outcome = judge.judge(event, failure);
        Outcome end = outcome instanceof Outcome.Dead dead ? dead(event, dead.error()) : outcome;
        return Completion.of(event, end, nanos, names);
    }

    private Outcome dead(QueuedEvent event, @Nullable String error) {
        return new Outcome.Dead(error, keys.hasKey(event) && delivery.holdsKeyWhenDead(event.envelope()));
    }

    /** What has been handed on must not be given back, whatever happens afterwards. */
    private boolean handOn(QueuedEvent event, Completion completion) {
        if (completions.put(completion)) {
            tellFollowers(event);
            return true;
        }
        LOG.log(
                Level.WARNING,
                "{0} ended after the dispatcher had been closed and will be delivered again",
                completion);
        return false;
    }

    private void tellFollowers(QueuedEvent event) {
        try {
            keys.delivered(event);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot hurry the record of an event that others wait for", LoggedError.of(e));
        }
    }

    private boolean isForcedToStop() {
        return forcedStop.getCount() == 0;
    }
}
