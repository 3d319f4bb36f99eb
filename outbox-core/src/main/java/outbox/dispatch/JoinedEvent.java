package outbox.dispatch;

import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;

/** An event of which nobody here knows yet whether it was committed, and when to look for its row. Guarded by its {@link JoinedList}. */
final class JoinedEvent {

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

    final EventEnvelope event;
    /** Before the insert was sent. */
    final long since;

    final boolean turnKnown;
    private final long leaseEnd;
    private long nextLook;
    private long pause = 2 * FIRST_PAUSE_NANOS;
    private boolean ruledOut;
    private boolean noMore;
    private boolean settled;
    private boolean endTold;

    JoinedEvent(EventEnvelope event, long since, boolean turnKnown, long leaseEnd) {
        this.event = event;
        this.since = since;
        this.turnKnown = turnKnown;
        this.leaseEnd = leaseEnd;
        this.nextLook = earlier(since + FIRST_PAUSE_NANOS, leaseEnd);
    }

    String eventId() {
        return event.eventId();
    }

    long nextLook() {
        return nextLook;
    }

    boolean isDue(long now) {
        return nextLook - now <= 0;
    }

    /** Somebody says that the transaction has ended. */
    void lookAt(long now) {
        nextLook = now;
        pause = FIRST_PAUSE_NANOS;
    }

    /** Somebody says that there will be no row. */
    void ruleOut() {
        ruledOut = true;
    }

    /** Nobody will look for it after the next time. */
    void lookOnce() {
        noMore = true;
    }

    JoinedList.Look beginLook(long now) {
        boolean over = noMore || leaseEnd - now <= 0;
        nextLook = earlier(now + pause, leaseEnd);
        pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        return new JoinedList.Look(this, over, ruledOut);
    }

    /** There is nothing to look for any more: it was found, or its id was written again. */
    void settle() {
        settled = true;
    }

    boolean isSettled() {
        return settled;
    }

    /** Says that hooks have heard that its outcome is unknown. */
    JoinedEvent withEndTold() {
        endTold = true;
        return this;
    }

    boolean isEndTold() {
        return endTold;
    }

    private static long earlier(long one, long other) {
        return one - other < 0 ? one : other;
    }
}
