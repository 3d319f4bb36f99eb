package outbox.testsupport;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Stands still until it is moved, and overflows soon, as {@link System#nanoTime()} may. */
public final class ManualNanos implements LongSupplier {

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);

    public void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Override
    public long getAsLong() {
        return now.get();
    }
}
