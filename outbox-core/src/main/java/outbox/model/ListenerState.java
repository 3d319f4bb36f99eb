package outbox.model;

import org.jspecify.annotations.Nullable;

/**
 * How a listener of this process is doing.
 *
 * @param name its own name, or the kinds of events that it was registered for
 * @param breaker whether deliveries are suspended because its receiver is away
 * @param breakerSetByHand whether a person decided that
 * @param paused why it is paused in this process; null if it is not
 * @param running how many deliveries are under way
 * @param waiting how many events wait in this process until it has time for them
 * @param abandoned how many calls did not end in time, and have not ended since
 */
public record ListenerState(
        String name,
        BreakerState breaker,
        boolean breakerSetByHand,
        @Nullable String paused,
        int running,
        int waiting,
        int abandoned) {

    /** Whether deliveries are suspended because a receiver is away. */
    public enum BreakerState {
        /** They are not; the ordinary state. */
        CLOSED,
        /** They are; after a pause a few of them try again. */
        OPEN,
        /** A few of them are trying whether the receiver is back. */
        HALF_OPEN
    }

    /** Whether its events are delivered here. */
    public boolean isDelivering() {
        return paused == null && breaker != BreakerState.OPEN;
    }
}
