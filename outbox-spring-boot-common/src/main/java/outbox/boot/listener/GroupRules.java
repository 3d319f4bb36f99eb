package outbox.boot.listener;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import outbox.boot.listener.ListenerTable.Route;

/** Whether the listeners of an outbox can live with each other. */
final class GroupRules {

    private GroupRules() {}

    static void check(Map<Route, List<ListenerMethod>> routes) {
        routes.forEach((route, takers) -> {
            if (takers.size() > 1) {
                requireGroups(route, takers);
            }
            if (takers.get(0).said().group() != null) {
                requireNoOther(route, takers.get(0), routes);
            }
            takers.forEach(GroupRules::requireFitForGroup);
        });
    }

    private static void requireGroups(Route route, List<ListenerMethod> takers) {
        Set<String> groups = new HashSet<>();
        for (ListenerMethod taker : takers) {
            String group = taker.said().group();
            if (group == null) {
                throw taker.said()
                        .invalid(
                                "events of " + route.name() + " have several listeners, "
                                        + takers.stream()
                                                .map(ListenerMethod::id)
                                                .toList()
                                        + ", and this one names no group",
                                "give each of them one of its own, as in @OutboxListener(group = \"mail\"): then each group"
                                        + " gets every event, and fails and is repeated for itself");
            }
            if (!groups.add(group)) {
                throw taker.said()
                        .invalid(
                                "there is another listener of group \"" + group + "\" for events of " + route.name(),
                                "give it a group of its own");
            }
        }
    }

    /** The more exact route would take the event, and the groups of the other would never hear of it. */
    private static void requireNoOther(Route route, ListenerMethod taker, Map<Route, List<ListenerMethod>> routes) {
        for (Route other : routes.keySet()) {
            if (!other.equals(route)
                    && route.eventType() != null
                    && Objects.equals(other.eventType(), route.eventType())
                    && (other.aggregateType() == null || route.aggregateType() == null)) {
                throw taker.said()
                        .invalid(
                                "events of " + route.name() + " and of " + other.name()
                                        + " are partly the same, so some would reach only the groups of one of them",
                                "name the same aggregate type in all of these listeners, or in none");
            }
        }
    }

    private static void requireFitForGroup(ListenerMethod method) {
        Said said = method.said();
        if (said.group() == null) {
            return;
        }
        if (!method.isDirect()) {
            throw said.invalid(
                    "it has a group, which is called for one event at a time and has handled it when it returns",
                    "take no List and return no CompletionStage, or leave the group out");
        }
        if (said.timeout() != null || said.expiresAfter() != null || said.concurrency() > 0) {
            throw said.invalid(
                    "timeout, expiresAfter and concurrency are not for a listener with a group, because all groups share a call",
                    "leave them out");
        }
    }
}
