package outbox.dispatch;

import java.util.List;
import outbox.OutcomeListener;

/** Calls a listener on the current thread, and waits for it. */
final class DirectCaller implements Caller {

    /** What callers share. */
    record Parts(DeliverySteps steps, Listeners listeners, Call.Clockwork clockwork) {}

    private final Parts parts;
    private final OutcomeListener listener;
    private final DeliveryRun.Shift shift;

    /** @param shift hears when a worker is in the listener, and when it does not come back */
    DirectCaller(Parts parts, OutcomeListener listener, DeliveryRun.Shift shift) {
        this.parts = parts;
        this.listener = listener;
        this.shift = shift;
    }

    @Override
    public void call(Passed passed) {
        call(passed, shift);
    }

    /** The same, with somebody else to hear of it. */
    void call(Passed passed, DeliveryRun.Shift who) {
        Call call = new Call(parts.clockwork, passed.gate().timeout());
        RunningDelivery delivery = parts.steps.begin(passed, call);
        if (delivery != null) {
            deliver(delivery, call, who);
        }
    }

    private void deliver(RunningDelivery delivery, Call call, DeliveryRun.Shift who) {
        Thread caller = Thread.currentThread();
        who.begins();
        call.begins(true, () -> {
            who.isLost(caller);
            parts.steps.giveUp(List.of(delivery));
        });
        Throwable unreadable = delivery.restore();
        Throwable failure = unreadable == null ? parts.listeners.deliver(delivery, listener) : unreadable;
        Call.End end = call.ends();
        Thread.interrupted(); // the flag belongs to the listener
        if (end == Call.End.GIVEN_UP) {
            parts.steps.cameBack(List.of(delivery));
            return;
        }
        who.ends();
        parts.steps.end(delivery, end, failure, true);
    }
}
