package outbox.domain;

import org.jspecify.annotations.Nullable;

/**
 * Converts events whose name or version is not registered into ones that are: older ones by bringing them up to date, newer ones by
 * leaving out what is not yet known here. Must be thread-safe.
 */
@FunctionalInterface
public interface EventUpcaster {

    /** Converts nothing: only registered events can be read. */
    EventUpcaster NONE = event -> null;

    /**
     * Returns the event under another name or version, or null if it cannot be converted. If the result is not registered either, the
     * upcaster is asked again with it: a step from each version to the next is enough.
     */
    @Nullable
    StoredDomainEvent upcast(StoredDomainEvent event);
}
