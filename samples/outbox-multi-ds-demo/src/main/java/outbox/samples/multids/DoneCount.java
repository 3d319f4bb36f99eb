package outbox.samples.multids;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import outbox.spi.MetricsExporter;

/** Counts the events of a department that are DONE, and waits for them. */
final class DoneCount extends MetricsExporter.Noop {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private int done;

    @Override
    public synchronized void incrementDispatchSuccess() {
        done++;
        notifyAll();
    }

    synchronized void await(int wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (done < wanted) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(
                        "Waited " + PATIENCE.toSeconds() + " s for " + wanted + " events to be DONE, " + done + " are");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
