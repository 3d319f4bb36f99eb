package outbox.dispatch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Knows since when each worker has been in its delivery. */
final class RunningDeliveries {

    private final LongSupplier nanoTime;
    private final Map<Thread, Long> since = new ConcurrentHashMap<>();

    RunningDeliveries(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Said by a worker; returns the time. */
    long begins() {
        long now = nanoTime.getAsLong();
        since.put(Thread.currentThread(), now);
        return now;
    }

    /** Said by the same worker. */
    void ends() {
        since.remove(Thread.currentThread());
    }

    int longerThan(Duration time) {
        long now = nanoTime.getAsLong();
        return (int) since.values().stream()
                .filter(begun -> now - begun > time.toNanos())
                .count();
    }
}
