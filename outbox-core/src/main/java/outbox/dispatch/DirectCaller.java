package outbox.dispatch;

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
        Call call = new Call(parts.clockwork, passed.gate().timeout());
        RunningDelivery delivery = parts.steps.begin(passed, call);
        if (delivery != null) {
            deliver(delivery, call);
        }
    }

    private void deliver(RunningDelivery delivery, Call call) {
        Thread caller = Thread.currentThread();
        shift.begins();
        call.begins(true, () -> {
            shift.isLost(caller);
            parts.steps.giveUp(delivery);
        });
        Throwable unreadable = delivery.restore();
        Throwable failure = unreadable == null ? parts.listeners.deliver(delivery, listener) : unreadable;
        Call.End end = call.ends();
        Thread.interrupted(); // the flag belongs to the listener
        if (end == Call.End.GIVEN_UP) {
            parts.steps.cameBack(delivery);
            return;
        }
        shift.ends();
        parts.steps.end(delivery, end, failure, true);
    }
}
