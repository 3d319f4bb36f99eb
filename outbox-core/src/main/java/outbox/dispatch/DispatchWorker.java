package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The loop of one worker thread: take an event, deliver it, hand on what became of it. */
final class DispatchWorker implements Runnable {

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());
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

    /** From here on the event is in flight until its outcome is recorded, or is freed here if there will be none. */
    private void process(QueuedEvent event) throws InterruptedException {
        boolean handedOn = false;
        try {
            depths.changed();
            pollRequests.roomChanged();
            Outcome outcome = isItsTurn(event) && mayDeliver(event) ? deliver(event) : null;
            handedOn = outcome != null && handOn(event, outcome);
        } finally {
            if (!handedOn) {
                keys.broke(event);
                returns.giveBack(event.envelope().eventId(), event.source());
            }
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
            LOG.log(Level.WARNING, "The lease of {0} has run out while it waited; it is left alone", event.envelope());
        }
        return ours;
    }

    /** Returns null if the outcome must not be recorded. */
    private @Nullable Outcome deliver(QueuedEvent event) {
        if (leases.held(event.envelope().eventId()) != null && judge.isUsedUp(event)) {
            return dead(event, null); // the row tells why
        }
        Throwable failure = delivery.deliver(event.envelope());
        // The flag belongs to the listener; left set it would keep the outcome from being handed on.
        boolean interrupted = Thread.interrupted();
        LOG.log(Level.TRACE, "{0} delivered, interrupted: {1}", event, interrupted);
        if (failure == null) {
            return Outcome.DONE;
        }
        if (isForcedToStop()) {
            // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
            LOG.log(Level.WARNING, "{0} was interrupted by the shutdown and stays pending", event.envelope());
            return null;
        }
        Outcome outcome = judge.judge(event, failure);
        return outcome instanceof Outcome.Dead dead ? dead(event, dead.error()) : outcome;
    }

    private Outcome dead(QueuedEvent event, @Nullable String error) {
        return new Outcome.Dead(error, keys.hasKey(event) && delivery.holdsKeyWhenDead(event.envelope()));
    }

    private boolean handOn(QueuedEvent event, Outcome outcome) throws InterruptedException {
        Completion completion = Completion.of(event, outcome);
        if (completions.put(completion)) {
            keys.delivered(event);
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
