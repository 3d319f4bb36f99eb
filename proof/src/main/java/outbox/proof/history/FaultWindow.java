package outbox.proof.history;

import org.jspecify.annotations.Nullable;

/**
 * A time in which something was so wrong that an event may have to be delivered again.
 *
 * @param process whose trouble it was; null if it was everybody's
 */
public record FaultWindow(String what, @Nullable String process, long from, long to) {

    /** Whether the delivery was running then, or shortly before or after. */
    boolean touches(Delivery delivery, long before, long after) {
        return (process == null || process.equals(delivery.process()))
                && delivery.start() <= to + after
                && delivery.end() >= from - before;
    }
}
