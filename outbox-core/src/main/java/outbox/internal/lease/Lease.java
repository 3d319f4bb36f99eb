package outbox.internal.lease;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.internal.outcome.Hold;
import outbox.spi.LeaseStore.Begun;
import outbox.spi.LeaseStore.Suspicion;

/** One event that is held, as long as it is in the {@link LeaseBook}. */
final class Lease implements Hold {

    final String eventId;
    final @Nullable Suspicion suspicion;
    private final LeaseBook book;
    volatile long until;
    volatile boolean turnKnown;
    volatile boolean committed;
    volatile boolean started;
    volatile boolean lost;
    /** Known as soon as the event is certain to exist. */
    volatile long createdAtMs = Long.MAX_VALUE;

    /** How often it was claimed again while it was in the book. */
    final AtomicInteger claimedAgain = new AtomicInteger();

    /** What was written down of its delivery, if it is a suspect. */
    volatile @Nullable Begun writtenDown;

    /** How long it is to wait for others, if it is a suspect that did not get leave because of them. */
    volatile @Nullable Duration wait;

    Lease(LeaseBook book, String eventId, @Nullable Suspicion suspicion, long until, boolean turnKnown) {
        this.book = book;
        this.eventId = eventId;
        this.suspicion = suspicion;
        this.until = until;
        this.turnKnown = turnKnown;
    }

    @Override
    public boolean isCurrent() {
        return book.isCurrent(this);
    }

    @Override
    public boolean isCertain() {
        return isCurrent() && book.isCertain(this);
    }
}
