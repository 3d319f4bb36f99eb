package outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import outbox.AggregateType;
import outbox.jdbc.dialect.Binding;
import outbox.model.EventRoute;

/**
 * The condition that leaves out kinds of events. A list of pairs whose length is a power of two, filled up with the last one, so that there are
 * only a few different statements. Nothing in it tempts an optimizer to another index than that of due events.
 */
final class LeftOut {

    private LeftOut() {}

    /** How many pairs a statement has for so many routes. */
    static int pairs(int routes) {
        return routes == 0 ? 0 : Integer.highestOneBit(routes * 2 - 1);
    }

    /** What follows other conditions, with {@link #params}. */
    static String condition(int pairs, Binding binding) {
        String pair = "(" + binding.exactly("event_type") + " = ? AND "
                + binding.exactly("COALESCE(aggregate_type, '" + AggregateType.GLOBAL.name() + "')") + " = ?)";
        return " AND NOT (" + String.join(" OR ", Collections.nCopies(pairs, pair)) + ")";
    }

    static List<Object> params(Collection<EventRoute> routes) {
        List<Object> params = new ArrayList<>();
        for (EventRoute route : routes) {
            Collections.addAll(params, route.eventType(), route.aggregateType());
        }
        List<Object> last = List.copyOf(params.subList(params.size() - 2, params.size()));
        for (int pair = routes.size(); pair < pairs(routes.size()); pair++) {
            params.addAll(last);
        }
        return params;
    }
}
