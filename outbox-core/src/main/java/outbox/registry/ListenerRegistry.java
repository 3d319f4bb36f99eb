package outbox.registry;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;

/** Finds the one listener of an event. Must be thread-safe. */
@FunctionalInterface
public interface ListenerRegistry {

    /** Returns the listener that takes events of that aggregate type and event type, or null if there is none. */
    @Nullable
    EventListener listenerFor(String aggregateType, String eventType);

    /**
     * Names what is registered, for messages: {@code Order/OrderPlaced}, {@code Order/*} for all events of an aggregate type, {@code *} for all
     * events. Empty, the default, if the registry cannot tell.
     */
    default List<String> registered() {
        return List.of();
    }

    /** The listeners by the names of {@link #registered}; one that is registered more than once has several. Empty, the default, if the registry cannot tell. */
    default Map<String, EventListener> byName() {
        return Map.of();
    }

    /** Whether it is known that nothing is registered; an outbox with such a registry does not start. False, the default, if nobody can tell. */
    default boolean isEmpty() {
        return false;
    }
}
