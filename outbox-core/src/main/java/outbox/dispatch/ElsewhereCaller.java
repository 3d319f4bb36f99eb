package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.OutcomeListener;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** Calls a listener on threads of its own. */
final class ElsewhereCaller implements Caller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final DeliverySteps steps;
    private final Caller caller;
    private final OwnThreads threads;
    private final Elsewhere elsewhere;

    /** The threads whose calls were given up: nobody waits for them any more. */
    private final Set<Thread> lost = ConcurrentHashMap.newKeySet();

    ElsewhereCaller(
            DirectCaller.Parts parts,
            OutcomeListener listener,
            OwnThreads threads,
            Elsewhere elsewhere,
            DeliveryRun.Shift workers) {
        this.steps = parts.steps();
        this.threads = threads;
        this.elsewhere = elsewhere;
        this.caller = new DirectCaller(parts, listener, new OwnShift(workers));
    }

    /** No worker is kept by what happens here. */
    private final class OwnShift implements DeliveryRun.Shift {

        private final DeliveryRun.Shift workers;

        private OwnShift(DeliveryRun.Shift workers) {
            this.workers = workers;
        }

        @Override
        public boolean isForcedToStop() {
            return workers.isForcedToStop();
        }

        @Override
        public void isLost(Thread thread) {
            lost.add(thread);
            elsewhere.ends();
        }
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    /** If there is no thread to be had, the event stays in the table for now. */
    @Override
    public void call(Passed passed) {
        elsewhere.begins();
        try {
            threads.execute(() -> run(passed));
        } catch (Throwable e) {
            elsewhere.ends();
            LOG.log(Level.WARNING, "No thread for a delivery; its event stays in the table", LoggedError.of(e));
            steps.letGo(passed);
        }
    }

    private void run(Passed passed) {
        try {
            caller.call(passed);
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "A delivery on a thread of its own has failed", LoggedError.of(e));
        } finally {
            if (!lost.remove(Thread.currentThread())) {
                elsewhere.ends();
            }
        }
    }

    @Override
    public void close() {
        threads.close();
    }
}
