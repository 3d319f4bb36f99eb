package outbox.jdbc.store;

import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Which events belong to an owner from the beginning.
 *
 * @param ownerId the owner; null if nothing is leased
 */
record BornLeased(@Nullable String ownerId, Predicate<EventEnvelope> chosen) {

    /** Nobody holds anything. */
    static final BornLeased NONE = new BornLeased(null, event -> false);

    /** All but those that are due later: who holds one of them would have to renew its lease until then. */
    static BornLeased allDue(String ownerId) {
        return new BornLeased(ownerId, event -> !event.isDelayed());
    }

    static BornLeased these(String ownerId, Set<String> eventIds) {
        return new BornLeased(ownerId, event -> eventIds.contains(event.eventId()));
    }

    boolean isLeased(EventEnvelope event) {
        return ownerId != null && chosen.test(event);
    }
}
