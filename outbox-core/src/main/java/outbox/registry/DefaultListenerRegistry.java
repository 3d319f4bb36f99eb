package outbox.registry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.EventListener;
import outbox.EventType;

/**
 * A thread-safe in-memory registry. Listeners may be added while events are being dispatched.
 *
 * <p>The most specific listener takes an event: that of its route, else that of its aggregate type, else the default one.
 */
public final class DefaultListenerRegistry implements ListenerRegistry {

    /** A pair, not a joined string: ("a:b", "c") must not meet ("a", "b:c"). */
    private record Route(String aggregateType, String eventType) {}

    private final Map<Route, EventListener> listeners = new ConcurrentHashMap<>();
    private final Map<String, EventListener> aggregateListeners = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable EventListener> defaultListener = new AtomicReference<>();

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

    /**
     * Registers the listener for events of an aggregate type whose event type has no listener of its own.
     *
     * @return this registry
     * @throws IllegalStateException if the aggregate type already has such a listener
     */
    public DefaultListenerRegistry registerForAggregate(String aggregateType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(listener, "listener");
        if (aggregateListeners.putIfAbsent(aggregateType, listener) != null) {
            throw new IllegalStateException("A listener is already registered for all events of aggregate type \""
                    + aggregateType + "\"; each aggregate type has at most one");
        }
        return this;
    }

    /** Registers the listener of an aggregate type; see {@link #registerForAggregate(String, EventListener)}. */
    public DefaultListenerRegistry registerForAggregate(AggregateType aggregateType, EventListener listener) {
        return registerForAggregate(aggregateType.name(), listener);
    }

    /**
     * Registers the listener for all events that have no other one. With it every event has a listener.
     *
     * @return this registry
     * @throws IllegalStateException if there already is a default listener
     */
    public DefaultListenerRegistry registerDefault(EventListener listener) {
        if (!defaultListener.compareAndSet(null, Objects.requireNonNull(listener, "listener"))) {
            throw new IllegalStateException("A default listener is already registered; a registry has at most one");
        }
        return this;
    }

    @Override
    public boolean isEmpty() {
        return listeners.isEmpty() && aggregateListeners.isEmpty() && defaultListener.get() == null;
    }

    @Override
    public List<String> registered() {
        List<String> names = new ArrayList<>();
        listeners.keySet().forEach(route -> names.add(route.aggregateType + "/" + route.eventType));
        aggregateListeners.keySet().forEach(aggregateType -> names.add(aggregateType + "/*"));
        Collections.sort(names);
        if (defaultListener.get() != null) {
            names.add("*");
        }
        return names;
    }

    @Override
    public Map<String, EventListener> byName() {
        Map<String, EventListener> byName = new TreeMap<>();
        listeners.forEach((route, listener) -> byName.put(route.aggregateType + "/" + route.eventType, listener));
        aggregateListeners.forEach((aggregateType, listener) -> byName.put(aggregateType + "/*", listener));
        EventListener last = defaultListener.get();
        if (last != null) {
            byName.put("*", last);
        }
        return byName;
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        EventListener exact = listeners.get(new Route(aggregateType, eventType));
        if (exact != null) {
            return exact;
        }
        EventListener ofAggregate = aggregateListeners.get(aggregateType);
        return ofAggregate != null ? ofAggregate : defaultListener.get();
    }
}
