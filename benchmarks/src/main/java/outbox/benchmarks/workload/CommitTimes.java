package outbox.benchmarks.workload;

import java.util.concurrent.atomic.AtomicLongArray;
import outbox.benchmarks.database.JdbcObserver;

/** Notes when the commits of one thread returned; measured at the driver, it is the same moment for every candidate. */
final class CommitTimes implements JdbcObserver {

    private final Thread producer;
    private final AtomicLongArray times;
    private int current;

    CommitTimes(Thread producer, int events) {
        this.producer = producer;
        this.times = new AtomicLongArray(events);
    }

    /** The producer's next commit belongs to this event. */
    void next(int number) {
        current = number;
    }

    @Override
    public void committed() {
        if (Thread.currentThread() == producer && times.get(current) == 0) {
            times.set(current, System.nanoTime());
        }
    }

    long at(int number) {
        return times.get(number);
    }
}
