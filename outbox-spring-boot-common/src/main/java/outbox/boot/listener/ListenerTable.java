package outbox.boot.listener;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;

/**
 * The listeners of one outbox by what they take: the most exact one takes an event. It is filled when all beans are there; the outbox may be
 * built, and write, before that.
 */
final class ListenerTable implements ListenerRegistry {

    private volatile Map<Route, EventListener> listeners = Map.of();

    /**
     * What a listener takes.
     *
     * @param aggregateType events of that aggregate type; null for any
     * @param eventType events of that type; null for any
     */
    record Route(@Nullable String aggregateType, @Nullable String eventType) {

        /** As in messages: {@code Order/OrderPlaced}, {@code Order/*}, {@code OrderPlaced} or {@code *}. */
        String name() {
            String type = eventType == null ? "*" : eventType;
            return aggregateType == null ? type : aggregateType + "/" + type;
        }
    }

    void fill(Map<Route, EventListener> all) {
        listeners = Map.copyOf(all);
    }

    int size() {
        return listeners.size();
    }

    @Override
    public @Nullable EventListener listenerFor(String aggregateType, String eventType) {
        Map<Route, EventListener> known = listeners;
        for (Route route : List.of(
                new Route(aggregateType, eventType),
                new Route(null, eventType),
                new Route(aggregateType, null),
                new Route(null, null))) {
            EventListener listener = known.get(route);
            if (listener != null) {
                return listener;
            }
        }
        return null;
    }

    @Override
    public List<String> registered() {
        return List.copyOf(byName().keySet());
    }

    @Override
    public Map<String, EventListener> byName() {
        Map<String, EventListener> byName = new TreeMap<>();
        listeners.forEach((route, listener) -> byName.put(route.name(), listener));
        return byName;
    }
}
