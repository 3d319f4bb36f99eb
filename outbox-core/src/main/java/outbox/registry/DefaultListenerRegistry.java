package outbox.registry;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.EventListener;
import outbox.EventType;

/** A thread-safe registry in memory. Listeners may be added while events are being dispatched. */
public final class DefaultListenerRegistry implements ListenerRegistry {

    /** A pair, not a joined string: ("a:b", "c") must not meet ("a", "b:c"). */
    private record Route(String aggregateType, String eventType) {}

    private final Map<Route, EventListener> listeners = new ConcurrentHashMap<>();

    /** Creates an empty registry. */
    public DefaultListenerRegistry() {}

    /**
     * Registers the listener of one route.
     *
     * @return this registry
     * @throws IllegalStateException if the route already has a listener
     */
    public DefaultListenerRegistry register(String aggregateType, String eventType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(listener, "listener");
        if (listeners.putIfAbsent(new Route(aggregateType, eventType), listener) != null) {
            throw new IllegalStateException("A listener is already registered for aggregate type \"" + aggregateType
                    + "\" and event type \"" + eventType + "\"; each pair has exactly one");
        }
        return this;
    }

    /** Registers the listener of one route; see {@link #register(String, String, EventListener)}. */
    public DefaultListenerRegistry register(AggregateType aggregateType, EventType eventType, EventListener listener) {
        return register(aggregateType.name(), eventType.name(), listener);
    }

    /** Registers the listener of one route; see {@link #register(String, String, EventListener)}. */
    public DefaultListenerRegistry register(AggregateType aggregateType, String eventType, EventListener listener) {
        return register(aggregateType.name(), eventType, listener);
    }

    /** Registers the listener of an event type without aggregate ({@link AggregateType#GLOBAL}). */
    public DefaultListenerRegistry register(String eventType, EventListener listener) {
        return register(AggregateType.GLOBAL, eventType, listener);
    }

    /** Registers the listener of an event type without aggregate ({@link AggregateType#GLOBAL}). */
    public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
        return register(AggregateType.GLOBAL, eventType, listener);
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        return listeners.get(new Route(aggregateType, eventType));
    }
}
