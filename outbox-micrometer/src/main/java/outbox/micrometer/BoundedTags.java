package outbox.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Meters by the value of a tag. A registry never forgets a value, and values may come from outside: beyond a limit all further ones share
 * the meters of {@value #OTHER}, which exist from the start. Thread-safe.
 */
final class BoundedTags<M> {

    /** The value of all beyond the limit. */
    static final String OTHER = "other";

    private final int limit;
    private final Function<String, M> factory;
    private final M other;
    private final Map<String, M> known = new ConcurrentHashMap<>();

    /** @param factory makes the meters of a value */
    BoundedTags(int limit, Function<String, M> factory) {
        this.limit = limit;
        this.factory = factory;
        this.other = factory.apply(OTHER);
    }

    M of(String value) {
        M meters = known.get(value);
        return meters == null ? add(value) : meters;
    }

    /** One at a time, so that no two of them get the last place. */
    private synchronized M add(String value) {
        if (known.size() >= limit || value.equals(OTHER) || value.isBlank()) {
            return known.getOrDefault(value, other);
        }
        return known.computeIfAbsent(value, factory);
    }
}
