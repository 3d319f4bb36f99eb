package outbox.registry;

import org.jspecify.annotations.Nullable;
import outbox.EventListener;

/** Finds the one listener of an event. Must be thread-safe. */
@FunctionalInterface
public interface ListenerRegistry {

    /** Returns the listener that takes events of that aggregate type and event type, or null if there is none. */
    @Nullable
    EventListener listenerFor(String aggregateType, String eventType);
}
