package outbox.internal.lease;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the oldest event was created that this process holds: a claim finds only what nobody holds, so the age of what waits or runs here is
 * known only here. Looking through many of them takes time, so it is done at most four times a second then. Used by one thread at a time.
 */
public final class OldestHeld {

    /** Up to so many are looked through each time. */
    static final int FEW = 100;

    static final long PAUSE_NANOS = 250_000_000;

    private final LeaseBook leases;
    private long lookedAt;
    private long oldestMs = Long.MAX_VALUE;

    public OldestHeld(LeaseBook leases) {
        this.leases = leases;
        this.lookedAt = leases.now() - PAUSE_NANOS;
    }

    /** Null if nothing is held. */
    public @Nullable Instant createdAt() {
        long now = leases.now();
        if (leases.heldCount() <= FEW || now - lookedAt >= PAUSE_NANOS) {
            oldestMs = look();
            lookedAt = now;
        }
        return oldestMs == Long.MAX_VALUE ? null : Instant.ofEpochMilli(oldestMs);
    }

    private long look() {
        long oldest = Long.MAX_VALUE;
        for (Lease lease : leases.all()) {
            oldest = Math.min(oldest, lease.createdAtMs);
        }
        return oldest;
    }
}
