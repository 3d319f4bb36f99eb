package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.BatchListener;
import outbox.Delivery;
import outbox.FailureKind;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** Delivers batches with one call of their listener each, and their halves if nobody knows which event is to blame for a failure. */
final class BatchDelivery {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final DirectCaller.Parts parts;
    private final BatchListener listener;

    BatchDelivery(DirectCaller.Parts parts, BatchListener listener) {
        this.parts = parts;
        this.listener = listener;
    }

    /** What a call came to: outcomes in the order of the batch, or one failure of all. */
    private record Answer(
            @Nullable List<?> outcomes, @Nullable Throwable failure, boolean divisible) {}

    /**
     * Returns when all of it has been dealt with, or at least given up.
     *
     * @param who hears when this thread is in the listener, and when it does not come back
     */
    void deliver(List<Passed> batch, DeliveryRun.Shift who) {
        Call call = newCall(batch.get(0).gate());
        Compaction.Known known = parts.steps().ask(batch);
        List<RunningDelivery> begun = new ArrayList<>(batch.size());
        for (Passed passed : batch) {
            RunningDelivery delivery = begin(passed, call, known);
            if (delivery != null && mayBegin(delivery)) {
                begun.add(delivery);
            }
        }
        if (!begun.isEmpty()) {
            new Division(begun, who).deliver(call);
        }
    }

    /** One that cannot be begun has been dealt with, and must not keep the others. */
    private @Nullable RunningDelivery begin(Passed passed, Call call, Compaction.Known known) {
        try {
            return parts.steps().begin(passed, call, known);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "An event of a batch cannot be delivered", LoggedError.of(e));
            return null;
        }
    }

    private Call newCall(ListenerGate gate) {
        return new Call(parts.clockwork(), gate.timeout());
    }

    /** What cannot be read, or is refused by an interceptor, has failed alone. */
    private boolean mayBegin(RunningDelivery delivery) {
        Throwable unreadable = delivery.restore();
        Throwable failure = unreadable == null ? parts.listeners().beforeWithHeaders(delivery) : unreadable;
        if (failure != null) {
            end(delivery, Call.End.IN_TIME, failure);
        }
        return failure == null;
    }

    /** A batch, and the parts of it that are still to be delivered. */
    private final class Division {

        private final DeliveryRun.Shift who;
        private final Thread thread = Thread.currentThread();

        /** Guarded by this. */
        private final Deque<List<RunningDelivery>> left = new ArrayDeque<>();

        private Division(List<RunningDelivery> batch, DeliveryRun.Shift who) {
            this.who = who;
            left.add(batch);
        }

        private void deliver(Call first) {
            Call call = first;
            for (List<RunningDelivery> part = next(); part != null; part = next()) {
                if (!call.runs()) {
                    call = newCall(part.get(0).passed().gate());
                    part = within(call, part);
                }
                deliver(part, call);
            }
        }

        /** The same deliveries, with a new call and all of its time. */
        private List<RunningDelivery> within(Call call, List<RunningDelivery> part) {
            return part.stream().map(delivery -> delivery.within(call)).toList();
        }

        private synchronized @Nullable List<RunningDelivery> next() {
            return left.poll();
        }

        private synchronized void divide(List<RunningDelivery> part) {
            int middle = part.size() / 2;
            left.addFirst(part.subList(middle, part.size()));
            left.addFirst(part.subList(0, middle));
        }

        private void deliver(List<RunningDelivery> part, Call call) {
            who.begins();
            call.begins(true, () -> giveUp(part));
            Answer answer = ask(part);
            Call.End end = call.ends();
            Thread.interrupted(); // the flag belongs to the listener
            if (end == Call.End.GIVEN_UP) {
                parts.steps().cameBack(part);
                return;
            }
            who.ends();
            boolean divisible = end == Call.End.IN_TIME && part.size() > 1 && answer.divisible;
            if (divisible && !parts.steps().isForcedToStop()) {
                divide(part);
            } else {
                endAll(part, end, answer);
            }
        }

        /** What would have been delivered next on this thread is left to others. */
        private void giveUp(List<RunningDelivery> part) {
            try {
                parts.steps().giveUp(part);
                for (List<RunningDelivery> next = next(); next != null; next = next()) {
                    next.forEach(delivery -> parts.steps().letGo(delivery.passed()));
                }
            } finally {
                who.isLost(thread);
            }
        }
    }

    private Answer ask(List<RunningDelivery> batch) {
        List<?> returned;
        try {
            List<Delivery> deliveries = List.copyOf(batch);
            returned = listener.onEvents(deliveries);
        } catch (Throwable e) {
            // Where nobody can be reached the halves would not be, either.
            FailureKind kind = batch.get(0).passed().gate().verdicts().kindOf(e);
            return new Answer(null, e, kind != FailureKind.AWAY);
        }
        return answer(batch, returned);
    }

    /** From here on its work may be done: to call it again for each half would do it again. */
    private static Answer answer(List<RunningDelivery> batch, @Nullable List<?> returned) {
        try {
            List<?> outcomes =
                    returned == null ? null : new ArrayList<>(returned); // it may change, or be of any making
            return outcomes == null || outcomes.size() != batch.size()
                    ? new Answer(null, wrongNumber(batch, outcomes), false)
                    : new Answer(outcomes, null, false);
        } catch (Throwable e) {
            return new Answer(null, e, false);
        }
    }

    private static IllegalStateException wrongNumber(List<RunningDelivery> batch, @Nullable List<?> outcomes) {
        return new IllegalStateException("the batch listener got " + batch.size() + " event(s) and returned "
                + (outcomes == null ? "null" : outcomes.size() + " outcome(s)")
                + "; return one for each event, Outcome.allDone(batch) if all are delivered");
    }

    private void endAll(List<RunningDelivery> batch, Call.End end, Answer answer) {
        for (int i = 0; i < batch.size(); i++) {
            Throwable failure = answer.outcomes == null ? answer.failure : Listeners.failureIn(answer.outcomes.get(i));
            end(batch.get(i), end, failure);
        }
    }

    private void end(RunningDelivery delivery, Call.End end, @Nullable Throwable failure) {
        try {
            if (!delivery.isUnreadable()) {
                parts.listeners().afterWithHeaders(delivery, failure);
            }
            parts.steps().end(delivery, end, failure, true);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "The outcome of an event of a batch is lost", LoggedError.of(e));
        }
    }
}
