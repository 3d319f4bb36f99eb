package outbox.domain;

import org.jspecify.annotations.Nullable;

/**
 * Turns events of names or versions that are not registered into ones that are: older ones by bringing them up to date, newer ones by
 * leaving out what is not known here yet. Must be thread-safe.
 */
@FunctionalInterface
public interface EventUpcaster {

    /** Knows of no other event than those that are registered. */
    EventUpcaster NONE = event -> null;

    /**
     * Returns the event in another name or version, or null if this cannot be done. If what is returned is not registered either, it is
     * asked again with that: a step from each version to the next is enough.
     */
    @Nullable
    StoredDomainEvent upcast(StoredDomainEvent event);
}
