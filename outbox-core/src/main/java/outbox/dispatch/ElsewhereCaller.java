package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** Calls a listener on threads of its own. */
final class ElsewhereCaller implements Caller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    /** How it is called there. */
    interface There {

        /** As {@link Caller#call}; the given one hears if the call does not end. */
        void call(Passed passed, DeliveryRun.Shift call);
    }

    private final DeliverySteps steps;
    private final There there;
    private final OwnThreads threads;
    private final Elsewhere elsewhere;
    private final DeliveryRun.Shift workers;

    ElsewhereCaller(
            DeliverySteps steps, There there, OwnThreads threads, Elsewhere elsewhere, DeliveryRun.Shift workers) {
        this.steps = steps;
        this.there = there;
        this.threads = threads;
        this.elsewhere = elsewhere;
        this.workers = workers;
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    /** If there is no thread to be had, the event stays in the table for now. */
    @Override
    public void call(Passed passed) {
        elsewhere.begins();
        OneCall call = new OneCall(workers, elsewhere::ends);
        try {
            threads.execute(() -> run(passed, call));
        } catch (Throwable e) {
            elsewhere.ends();
            LOG.log(Level.WARNING, "No thread for a delivery; its event stays in the table", LoggedError.of(e));
            steps.letGo(passed);
        }
    }

    private void run(Passed passed, OneCall call) {
        try {
            there.call(passed, call);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "A delivery on a thread of its own has failed", LoggedError.of(e));
        } finally {
            if (call.endsInTime()) {
                elsewhere.ends();
            }
        }
    }

    @Override
    public void close() {
        threads.close();
    }
}
