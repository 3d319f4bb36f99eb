package outbox.dispatch;

import java.util.List;
import outbox.internal.text.StoredText;
import outbox.model.EventRoute;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;

/** How messages name routes, and what is registered: in one line, and no more than fits there. */
final class RouteNames {

    private static final int MOST_NAMES = 10;
    private static final int LONGEST_NAME = 200;

    private RouteNames() {}

    /** Says that nobody listens to events of the route. */
    static String noListenerFor(EventRoute route) {
        return "No listener for " + of(route);
    }

    static String of(EventRoute route) {
        return "aggregate type \"" + cut(route.aggregateType()) + "\" and event type \"" + cut(route.eventType())
                + "\"";
    }

    /** Says what is registered, as far as the registry tells. Nothing escapes. */
    static String registeredIn(ListenerRegistry registry) {
        List<String> names;
        try {
            names = registry.registered();
        } catch (Throwable e) {
            return "what is registered cannot be told";
        }
        if (names.isEmpty()) {
            return registry instanceof DefaultListenerRegistry ? "nothing is registered" : "";
        }
        String first = String.join(
                ", ", names.stream().limit(MOST_NAMES).map(RouteNames::cut).toList());
        int more = names.size() - MOST_NAMES;
        return "registered: " + first + (more > 0 ? " and " + more + " more" : "");
    }

    private static String cut(String name) {
        return StoredText.inOneLine(StoredText.fit(name, LONGEST_NAME));
    }
}
