package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.BatchListener;
import outbox.Delivery;
import outbox.FailureKind;
import outbox.Outcome;

/** Delivers a batch with one call of its listener, and its halves if nobody knows which event is to blame for a failure. */
final class BatchDelivery implements BatchCaller.Delivering {

    private final DirectCaller.Parts parts;
    private final BatchListener listener;

    BatchDelivery(DirectCaller.Parts parts, BatchListener listener) {
        this.parts = parts;
        this.listener = listener;
    }

    /** What a call came to: outcomes in the order of the batch, or one failure of all. */
    private record Answer(
            @Nullable List<Outcome> outcomes, @Nullable Throwable failure, boolean divisible) {}

    @Override
    public void deliver(List<Passed> batch) {
        Call call = new Call(parts.clockwork(), batch.get(0).gate().timeout());
        Compaction.Known known = parts.steps().ask(batch);
        List<RunningDelivery> begun = new ArrayList<>(batch.size());
        for (Passed passed : batch) {
            RunningDelivery delivery = parts.steps().begin(passed, call, known);
            if (delivery != null && mayBegin(delivery)) {
                begun.add(delivery);
            }
        }
        if (!begun.isEmpty()) {
            deliver(begun, call);
        }
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

    private void deliver(List<RunningDelivery> batch, Call call) {
        call.begins(true, () -> batch.forEach(parts.steps()::giveUp));
        Answer answer = ask(batch);
        Call.End end = call.ends();
        Thread.interrupted(); // the flag belongs to the listener
        if (end == Call.End.GIVEN_UP) {
            batch.forEach(parts.steps()::cameBack);
        } else if (end == Call.End.IN_TIME && batch.size() > 1 && answer.divisible) {
            int middle = batch.size() / 2;
            again(batch.subList(0, middle));
            again(batch.subList(middle, batch.size()));
        } else {
            endAll(batch, end, answer);
        }
    }

    /** The same deliveries, with a new call and all of its time. */
    private void again(List<RunningDelivery> half) {
        Call call = new Call(parts.clockwork(), half.get(0).passed().gate().timeout());
        deliver(half.stream().map(delivery -> delivery.within(call)).toList(), call);
    }

    private Answer ask(List<RunningDelivery> batch) {
        try {
            List<Delivery> deliveries = List.copyOf(batch);
            List<Outcome> outcomes = listener.onEvents(deliveries);
            if (outcomes == null || outcomes.size() != batch.size()) {
                return new Answer(null, wrongNumber(batch, outcomes), false);
            }
            return new Answer(outcomes, null, false);
        } catch (Throwable e) {
            // Where nobody can be reached the halves would not be, either.
            FailureKind kind = batch.get(0).passed().gate().verdicts().kindOf(e);
            return new Answer(null, e, kind != FailureKind.AWAY);
        }
    }

    /** Its work may be done: to call it again for each half would do it again. */
    private static IllegalStateException wrongNumber(List<RunningDelivery> batch, @Nullable List<Outcome> outcomes) {
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
        if (!delivery.isUnreadable()) {
            parts.listeners().afterWithHeaders(delivery, failure);
        }
        parts.steps().end(delivery, end, failure, true);
    }
}
