package outbox.cluster.order;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was committed and what was delivered.
 *
 * @param discarded places in the journal at which a person let a key go on without a DEAD event, by its id
 */
record History(
        List<CommittedEvent> events, List<Delivery> deliveries, List<Fault> faults, Map<String, Integer> discarded) {

    /** The events of each key in the order of their commits. */
    Map<String, List<CommittedEvent>> byKey() {
        return events.stream()
                .filter(event -> event.key() != null)
                .sorted(Comparator.comparing(CommittedEvent::n).thenComparing(CommittedEvent::index))
                .collect(Collectors.groupingBy(CommittedEvent::key, LinkedHashMap::new, Collectors.toList()));
    }

    /** The deliveries of each event in the order of their begins. */
    Map<String, List<Delivery>> byEvent() {
        return deliveries.stream()
                .sorted(Comparator.comparing(Delivery::start))
                .collect(Collectors.groupingBy(Delivery::eventId));
    }

    boolean isHit(Delivery delivery) {
        return faults.stream().anyMatch(fault -> fault.hit(delivery));
    }

    /** All that is known of a key, for people. */
    String describe(String key) {
        Map<String, List<Delivery>> byEvent = byEvent();
        List<String> lines = new ArrayList<>();
        for (CommittedEvent event : byKey().getOrDefault(key, List.of())) {
            lines.add(event
                    + (discarded.containsKey(event.eventId())
                            ? " discarded at line " + discarded.get(event.eventId())
                            : ""));
            byEvent.getOrDefault(event.eventId(), List.of())
                    .forEach(delivery -> lines.add("    " + delivery + (isHit(delivery) ? ", hit by a fault" : "")));
        }
        return String.join("\n", lines);
    }
}
