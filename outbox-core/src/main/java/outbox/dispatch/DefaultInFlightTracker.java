package outbox.dispatch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks events in memory. With a time to live, an entry older than that counts as stuck and may be taken again; the age
 * counts from the moment the event was queued, so choose it well above the longest wait plus the longest listener.
 */
public final class DefaultInFlightTracker implements InFlightTracker {

    private final ConcurrentMap<String, Long> takenAtNanos = new ConcurrentHashMap<>();
    private final long ttlNanos;
    private final LongSupplier nanoClock;

    /** Entries stay until they are released. */
    public DefaultInFlightTracker() {
        this(0);
    }

    /** Entries may be taken again after the given time; zero or less means never. */
    public DefaultInFlightTracker(long ttlMs) {
        this(ttlMs, System::nanoTime);
    }

    DefaultInFlightTracker(long ttlMs, LongSupplier nanoClock) {
        this.ttlNanos = TimeUnit.MILLISECONDS.toNanos(ttlMs);
        this.nanoClock = nanoClock;
    }

    @Override
    public boolean tryAcquire(String eventId) {
        Long now = nanoClock.getAsLong();
        Long takenAt = takenAtNanos.putIfAbsent(eventId, now);
        return takenAt == null || (isStuck(takenAt, now) && takenAtNanos.replace(eventId, takenAt, now));
    }

    @Override
    public void release(String eventId) {
        takenAtNanos.remove(eventId);
    }

    private boolean isStuck(@Nullable Long takenAt, Long now) {
        return ttlNanos > 0 && takenAt != null && now - takenAt >= ttlNanos;
    }
}
