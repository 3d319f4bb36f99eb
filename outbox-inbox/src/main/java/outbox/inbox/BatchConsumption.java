package outbox.inbox;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Consumes several events: first as a batch, then one by one those that the batch left undecided because they have a record but were not
 * handled.
 */
final class BatchConsumption {

    /** A way to handle different events in few transactions. */
    @FunctionalInterface
    interface Handling {
        /** Returns what was decided; a failed event makes nothing throw. */
        Map<Arrival, ConsumeResult> consume(List<Arrival> different);
    }

    private final Function<Arrival, ConsumeResult> oneByOne;

    /** @param oneByOne consumes one event and throws nothing */
    BatchConsumption(Function<Arrival, ConsumeResult> oneByOne) {
        this.oneByOne = oneByOne;
    }

    /** A result for each arrival, in the same order. */
    List<ConsumeResult> consume(List<Arrival> arrivals, Handling handling) {
        Map<Arrival, ConsumeResult> results = new LinkedHashMap<>();
        if (!arrivals.isEmpty()) {
            results.putAll(handling.consume(List.copyOf(firstOfEachEvent(arrivals))));
        }
        List<ConsumeResult> inOrder = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            // Removed, because a second copy of the same event has not been decided.
            ConsumeResult decided = results.remove(arrival);
            inOrder.add(decided == null ? oneByOne.apply(arrival) : decided);
        }
        return inOrder;
    }

    private static Collection<Arrival> firstOfEachEvent(List<Arrival> arrivals) {
        Map<String, Arrival> first = new LinkedHashMap<>();
        arrivals.forEach(arrival -> first.putIfAbsent(arrival.event().eventId(), arrival));
        return first.values();
    }
}
