package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.gate.Gate.Result;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Hold;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.LoggedError;
import outbox.internal.text.RowWords;
import outbox.internal.text.SafeLog;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore.AggregateKey;

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

    /** After which an event is looked at again whose earlier call has not ended. */
    private static final Duration CALL_MAY_END_WITHIN = Duration.ofSeconds(5);

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final Parts parts;
    private final EventFlow flow;
    private final StillRunning stillRunning = new StillRunning();

    DeliverySteps(Parts parts) {
        this.parts = parts;
        this.flow = parts.flow;
    }

    /** What is not over although it was given up. */
    StillRunning stillRunning() {
        return stillRunning;
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
            if (isStopped() || isPaused(passed) || !flow.begin(passed.event())) {
                return null;
            }
            Hold hold = flow.holdOn(passed.event());
            Suspicion suspicion = flow.suspicionOf(passed.event());
            Verdict undelivered = undelivered(passed, suspicion);
            Compaction.Standing standing = undelivered == null && suspicion == null && hold != null
                    ? standing(passed, asked)
                    : Compaction.Standing.CURRENT;
            if (standing == Compaction.Standing.UNKNOWN) {
                flow.comesAfter(TABLE_MAY_ANSWER_WITHIN);
            } else if (standing == Compaction.Standing.SUPERSEDED) {
                handedOn = handOn(completion(passed.event(), Verdict.SUPERSEDED, Completion.NOT_DELIVERED, hold), true);
            } else if (undelivered != null) {
                handedOn = handOn(completion(passed.event(), undelivered, Completion.NOT_DELIVERED, hold), true);
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

    private boolean isPaused(Passed passed) {
        return !parts.pausing.mayDeliver(
                passed.event().envelope(), passed.gate().name());
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

    /** What becomes of the event without calling its listener; null if that is to be called. */
    private @Nullable Verdict undelivered(Passed passed, @Nullable Suspicion suspicion) {
        QueuedEvent event = passed.event();
        ListenerGate gate = passed.gate();
        if (suspicion != null) {
            Verdict verdict = gate.verdicts().onSuspicion(suspicion, () -> holdsKey(event));
            if (verdict != null) {
                return verdict;
            }
        }
        if (stillRunning.keeps(event.envelope().eventId(), keyOf(event))) {
            return suspicion == null
                    ? gate.verdicts().later(CALL_MAY_END_WITHIN, RowWords.CALL_NOT_ENDED)
                    : new Verdict.Postponed(CALL_MAY_END_WITHIN, suspicion.crashes());
        }
        Duration expiry = gate.expiry();
        return expiry != null && isOlderThan(event.envelope(), expiry)
                ? new Verdict.Dead(RowWords.tooOld(expiry), holdsKey(event))
                : null;
    }

    private boolean isOlderThan(EventEnvelope event, Duration age) {
        Instant now = parts.surroundings.now().get();
        return Duration.between(event.occurredAt(), now).compareTo(age) > 0;
    }

    private @Nullable AggregateKey keyOf(QueuedEvent event) {
        return flow.hasKey(event)
                ? AggregateKey.of(
                        event.envelope().aggregateType(), event.envelope().aggregateId())
                : null;
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
                passed.gate().leave(passed, resultOf(passed, problem));
            }
        }
    }

    /** A call does not end. What it is about is recorded as failed, and kept from this process until the call has ended after all. */
    void giveUp(RunningDelivery delivery) {
        Passed passed = delivery.passed();
        QueuedEvent event = passed.event();
        stillRunning.add(event.envelope().eventId(), keyOf(event));
        LOG.log(
                Level.WARNING,
                flow.names().of(event.envelope())
                        + ": the call of its listener has not ended in time, nor after that; it is left alone, and the event is not delivered here"
                        + " again before the call has ended. "
                        + delivery.call().whereItIs());
        boolean handedOn = false;
        try {
            handedOn = handOn(completionOf(delivery, tooLong(delivery)), false);
        } finally {
            try {
                if (!handedOn) {
                    flow.letGo(event);
                }
            } finally {
                passed.gate().abandons(passed);
            }
        }
    }

    /** A call that was given up has ended after all; its outcome counts for nothing. */
    void cameBack(RunningDelivery delivery) {
        QueuedEvent event = delivery.queued();
        stillRunning.remove(event.envelope().eventId(), keyOf(event));
        delivery.passed().gate().abandonedEnds();
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
                .onFailure(event.envelope(), event.attempts(), failure, () -> holdsKey(event));
        return completion(event, verdict, delivery.nanos(), delivery.hold())
                .told(parts.listeners.telling(event.envelope(), event.attempts(), verdict, failure));
    }

    private static Result resultOf(Passed passed, @Nullable Throwable failure) {
        if (failure == null) {
            return Result.SUCCESS;
        }
        return switch (passed.gate().verdicts().kindOf(failure)) {
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
