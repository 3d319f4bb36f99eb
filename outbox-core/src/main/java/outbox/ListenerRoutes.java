package outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.registry.ListenerRegistry;

/**
 * The listeners of one outbox. The most exact one takes an event: that of its aggregate type and event type, else that of its event type,
 * whatever the aggregate, else that of its aggregate type, else the default one.
 */
final class ListenerRoutes implements ListenerRegistry {

    private record Route(String aggregateType, String eventType) {}

    private final Map<Route, EventListener> exact = new ConcurrentHashMap<>();
    private final Map<String, EventListener> ofType = new ConcurrentHashMap<>();
    private final Map<String, EventListener> ofAggregate = new ConcurrentHashMap<>();
    private @Nullable EventListener defaultListener;

    @Override
    public boolean isEmpty() {
        return exact.isEmpty() && ofType.isEmpty() && ofAggregate.isEmpty() && defaultListener == null;
    }

    void add(String aggregateType, String eventType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(eventType, "eventType");
        put(
                exact,
                new Route(aggregateType, eventType),
                listener,
                "aggregate type \"" + aggregateType + "\" and event type \"" + eventType
                        + "\"; each pair has exactly one");
    }

    void addForType(String eventType, EventListener listener) {
        Objects.requireNonNull(eventType, "eventType");
        put(ofType, eventType, listener, "event type \"" + eventType + "\"; each type has exactly one");
    }

    void addForAggregate(String aggregateType, EventListener listener) {
        Objects.requireNonNull(aggregateType, "aggregateType");
        put(
                ofAggregate,
                aggregateType,
                listener,
                "all events of aggregate type \"" + aggregateType + "\"; each aggregate type has at most one");
    }

    void addDefault(EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (defaultListener != null) {
            throw new IllegalStateException("A default listener is already registered; an outbox has at most one");
        }
        defaultListener = listener;
    }

    private static <K> void put(Map<K, EventListener> listeners, K key, EventListener listener, String what) {
        if (listeners.putIfAbsent(key, Objects.requireNonNull(listener, "listener")) != null) {
            throw new IllegalStateException("A listener is already registered for " + what);
        }
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        EventListener listener = exact.get(new Route(aggregateType, eventType));
        if (listener == null) {
            listener = ofType.get(eventType);
        }
        if (listener == null) {
            listener = ofAggregate.get(aggregateType);
        }
        return listener == null ? defaultListener : listener;
    }

    @Override
    public Map<String, EventListener> byName() {
        Map<String, EventListener> byName = new TreeMap<>();
        exact.forEach((route, listener) -> byName.put(route.aggregateType + "/" + route.eventType, listener));
        ofType.forEach(byName::put);
        ofAggregate.forEach((aggregateType, listener) -> byName.put(aggregateType + "/*", listener));
        if (defaultListener != null) {
            byName.put("*", defaultListener);
        }
        return byName;
    }

    @Override
    public List<String> registered() {
        List<String> names = new ArrayList<>();
        exact.keySet().stream()
                .map(route -> route.aggregateType + "/" + route.eventType)
                .sorted()
                .forEach(names::add);
        ofType.keySet().stream().sorted().map(type -> "*/" + type).forEach(names::add);
        ofAggregate.keySet().stream().sorted().map(type -> type + "/*").forEach(names::add);
        if (defaultListener != null) {
            names.add("*");
        }
        return names;
    }
}
