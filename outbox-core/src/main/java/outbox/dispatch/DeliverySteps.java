package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.gate.Gate;
import outbox.internal.gate.Gate.Result;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Hold;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.spi.LeaseStore.Suspicion;

/**
 * What is done before and after each delivery, however its listener is called. From its beginning an event is in flight until its outcome is
 * recorded, or it is let go here if there will be none; and whatever has passed a gate leaves it here. Thread-safe.
 */
final class DeliverySteps {

    /** What the steps need. */
    record Parts(
            EventFlow flow,
            Listeners listeners,
            CompletionBuffer completions,
            DeliveryRun.Shift shift,
            Pausing pausing,
            RunningDelivery.Surroundings surroundings,
            @Nullable Compaction compaction) {

        /** Where every event matters. */
        Parts(
                EventFlow flow,
                Listeners listeners,
                CompletionBuffer completions,
                DeliveryRun.Shift shift,
                Pausing pausing,
                RunningDelivery.Surroundings surroundings) {
            this(flow, listeners, completions, shift, pausing, surroundings, null);
        }
    }

    /** After which events are looked at again of which the table could not be asked. */
    private static final Duration TABLE_MAY_ANSWER_WITHIN = Duration.ofSeconds(1);

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final Parts parts;
    private final EventFlow flow;
    private final Undelivered undelivered;

    DeliverySteps(Parts parts) {
        this.parts = parts;
        this.flow = parts.flow;
        this.undelivered = new Undelivered(flow::hasKey, this::holdsKey, parts.surroundings.now());
    }

    /** Whether the event was taken over from a process that may have ended because of it. */
    boolean isSuspect(QueuedEvent event) {
        return flow.suspicionOf(event) != null;
    }

    /** Asks the table what must be known of the events of a batch before they begin, all at once. */
    Compaction.Known ask(List<Passed> batch) {
        return parts.compaction == null
                ? Compaction.Known.NOTHING
                : parts.compaction.ask(
                        batch.stream().map(passed -> passed.event().envelope()).toList());
    }

    /** Begins a delivery; null if the event is not to be delivered here, or not now, in which case it has been dealt with. */
    @Nullable
    RunningDelivery begin(Passed passed, Call call) {
        return begin(passed, call, null);
    }

    /**
     * As {@link #begin(Passed, Call)}.
     *
     * @param asked what is known of the event; null if the table has not been asked
     */
    @Nullable
    RunningDelivery begin(Passed passed, Call call, Compaction.@Nullable Known asked) {
        RunningDelivery begun = null;
        boolean handedOn = false;
        try {
            if (isStopped() || isClosed(passed) || !flow.begin(passed.event())) {
                return null;
            }
            Hold hold = flow.holdOn(passed.event());
            Suspicion suspicion = flow.suspicionOf(passed.event());
            Verdict verdict = undelivered.verdict(passed, suspicion);
            Compaction.Standing standing = verdict == null && suspicion == null && hold != null
                    ? standing(passed, asked)
                    : Compaction.Standing.CURRENT;
            if (standing == Compaction.Standing.UNKNOWN) {
                flow.comesAfter(TABLE_MAY_ANSWER_WITHIN);
            } else if (standing == Compaction.Standing.SUPERSEDED) {
                handedOn = handOn(completion(passed.event(), Verdict.SUPERSEDED, Completion.NOT_DELIVERED, hold), true);
            } else if (verdict != null) {
                handedOn = handOn(completion(passed.event(), verdict, Completion.NOT_DELIVERED, hold), true);
            } else if (suspicion != null && !flow.writeDown(passed.event())) {
                handedOn = putOff(passed.event(), suspicion, hold);
            } else if (!isStopped()) { // an interrupt may have been meant for us, and the listener would not hear of it
                flow.intake().begins(passed.event());
                begun = new RunningDelivery(passed, call, hold, parts.surroundings);
            }
            return begun;
        } finally {
            if (begun == null) {
                leaveWithout(passed, handedOn);
            }
        }
    }

    /** Whether the event still matters. What may have begun elsewhere does, and so does what is not leased: others may have begun it. */
    private Compaction.Standing standing(Passed passed, Compaction.@Nullable Known asked) {
        EventEnvelope event = passed.event().envelope();
        if (parts.compaction == null || !parts.compaction.concerns(event)) {
            return Compaction.Standing.CURRENT;
        }
        return (asked == null ? ask(List.of(passed)) : asked).standingOf(event);
    }

    /** It may have passed its gate a while ago, and have waited for a thread or for others of its batch. */
    private boolean isClosed(Passed passed) {
        return passed.gate().gate().status() == Gate.Status.CLOSED
                || !parts.pausing.mayDeliver(
                        passed.event().envelope(), passed.gate().name());
    }

    /** Whether there is no more time for listeners. */
    boolean isForcedToStop() {
        return parts.shift.isForcedToStop();
    }

    /** Given back, a suspect that may not begin beside others would be found by the next claim again, before all that is due later. */
    private boolean putOff(QueuedEvent event, Suspicion suspicion, @Nullable Hold hold) {
        Duration wait = flow.waitForOthers(event);
        return wait != null
                && handOn(
                        completion(
                                event,
                                new Verdict.Postponed(wait, suspicion.crashes(), true),
                                Completion.NOT_DELIVERED,
                                hold),
                        true);
    }

    /** An interrupt that came late was meant for another listener, unless it is that of a forced stop. */
    private boolean isStopped() {
        return Thread.interrupted() && parts.shift.isForcedToStop();
    }

    private void leaveWithout(Passed passed, boolean handedOn) {
        try {
            if (!handedOn) {
                flow.letGo(passed.event());
            }
        } finally {
            passed.gate().leave(passed, Result.NOTHING);
        }
    }

    /** It has passed its gate and waits for others of its batch: it counts as if it were queued. */
    void waitsForBatch(Passed passed) {
        flow.parts().queues().waitsAtGate(passed.event());
    }

    /** The opposite. */
    void leavesBatch(Passed passed) {
        flow.parts().queues().leavesGate(passed.event());
    }

    /** It has passed its gate and is not delivered after all. */
    void letGo(Passed passed) {
        leaveWithout(passed, false);
    }

    /**
     * A call has ended.
     *
     * @param end in time or late
     * @param failure what the listener threw or said; null if the event is delivered
     * @param mayWait whether this thread may wait for the recorder
     */
    void end(RunningDelivery delivery, Call.End end, @Nullable Throwable failure, boolean mayWait) {
        Passed passed = delivery.passed();
        Throwable problem = end == Call.End.LATE ? tooLong(delivery) : failure;
        boolean handedOn = false;
        try {
            handedOn = mayRecord(delivery, problem) && handOn(completionOf(delivery, problem), mayWait);
        } finally {
            try {
                if (!handedOn) {
                    flow.letGo(passed.event());
                }
            } finally {
                passed.gate().leave(passed, resultOf(delivery, problem));
            }
        }
    }

    /** A call does not end. What it is about is recorded as failed, and kept from this process until the call has ended after all. */
    void giveUp(List<RunningDelivery> call) {
        call.forEach(delivery -> undelivered.givenUp(delivery.queued()));
        RunningDelivery first = call.get(0);
        String others = call.size() == 1 ? "" : " and " + (call.size() - 1) + " more of its batch";
        LOG.log(
                Level.WARNING,
                flow.names().of(first.event()) + others
                        + ": the call of its listener has not ended in time, nor after that; it is left alone, and the event is not delivered here"
                        + " again before the call has ended. "
                        + first.call().whereItIs());
        for (RunningDelivery delivery : call) {
            giveUp(delivery, delivery == first);
        }
    }

    /** @param counts whether its call was not counted yet */
    private void giveUp(RunningDelivery delivery, boolean counts) {
        Passed passed = delivery.passed();
        boolean handedOn = false;
        try {
            handedOn = handOn(completionOf(delivery, tooLong(delivery)), false);
        } finally {
            try {
                if (!handedOn) {
                    flow.letGo(passed.event());
                }
            } finally {
                if (counts) {
                    passed.gate().abandons(passed);
                } else {
                    passed.gate().leave(passed, Result.FAILURE);
                }
            }
        }
    }

    /** A call that was given up has ended after all; its outcome counts for nothing. */
    void cameBack(List<RunningDelivery> call) {
        call.forEach(delivery -> undelivered.cameBack(delivery.queued()));
        call.get(0).passed().gate().abandonedEnds();
        flow.comesAfter(Duration.ZERO);
    }

    private static TimeoutException tooLong(RunningDelivery delivery) {
        return new TimeoutException("the delivery took longer than the listener's timeout of "
                + delivery.passed().gate().timeout());
    }

    private boolean mayRecord(RunningDelivery delivery, @Nullable Throwable failure) {
        if (failure == null || !parts.shift.isForcedToStop()) {
            return true;
        }
        // Its listener was interrupted by us. That is not the event's fault and costs it no attempt.
        LOG.log(
                Level.WARNING,
                flow.names().of(delivery.event()) + " was interrupted by the shutdown and stays pending");
        return false;
    }

    private Completion completionOf(RunningDelivery delivery, @Nullable Throwable failure) {
        QueuedEvent event = delivery.queued();
        if (failure == null) {
            return completion(event, Verdict.DONE, delivery.nanos(), delivery.hold());
        }
        Verdict verdict = delivery.passed()
                .gate()
                .verdicts()
                .onFailure(delivery.event(), event.attempts(), failure, () -> holdsKey(event));
        return completion(event, verdict, delivery.nanos(), delivery.hold())
                .told(parts.listeners.telling(delivery.event(), event.attempts(), verdict, failure));
    }

    private static Result resultOf(RunningDelivery delivery, @Nullable Throwable failure) {
        if (failure == null) {
            return Result.SUCCESS;
        }
        if (delivery.isUnreadable()) {
            return Result.NOTHING; // its receiver was not asked
        }
        return switch (delivery.passed().gate().verdicts().kindOf(failure)) {
            case AWAY -> Result.AWAY;
            case PERMANENT -> Result.SUCCESS; // the receiver has answered
            case TRANSIENT -> Result.FAILURE;
        };
    }

    private boolean holdsKey(QueuedEvent event) {
        return flow.hasKey(event) && parts.listeners.holdKeyWhenDead(event.envelope());
    }

    private Completion completion(QueuedEvent event, Verdict verdict, long nanos, @Nullable Hold hold) {
        boolean cold = event.source() == QueuedEvent.Source.COLD;
        return Completion.of(event.envelope(), cold, event.attempts(), verdict, nanos, flow.names())
                .under(hold);
    }

    /** What has been handed on must not be given back, whatever happens afterwards. */
    private boolean handOn(Completion completion, boolean mayWait) {
        boolean taken = mayWait ? parts.completions.put(completion) : parts.completions.putAtOnce(completion);
        if (!taken) {
            LOG.log(
                    Level.WARNING,
                    "{0} ended after the dispatcher had been closed and will be delivered again",
                    completion);
            return false;
        }
        try {
            flow.delivered(completion);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot hurry the record of an event that others wait for", LoggedError.of(e));
        }
        return true;
    }
}
