package outbox.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;

/** What is done on a thread that is no worker's: it ends, or is given up, whichever is first. */
final class OneCall implements DeliveryRun.Shift {

    private final DeliveryRun.Shift workers;
    private final Runnable whenGivenUp;
    private final AtomicBoolean over = new AtomicBoolean();

    OneCall(DeliveryRun.Shift workers, Runnable whenGivenUp) {
        this.workers = workers;
        this.whenGivenUp = whenGivenUp;
    }

    @Override
    public boolean isForcedToStop() {
        return workers.isForcedToStop();
    }

    /** No worker is kept by it, and nobody waits for it any more. */
    @Override
    public void isLost(Thread thread) {
        if (endsInTime()) {
            whenGivenUp.run();
        }
    }

    /** It has ended; false if it was given up before. */
    boolean endsInTime() {
        return over.compareAndSet(false, true);
    }
}
