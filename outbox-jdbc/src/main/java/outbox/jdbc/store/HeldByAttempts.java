package outbox.jdbc.store;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import outbox.spi.LeaseStore.Held;

/** Groups events for statements that fence by the number of attempts. */
final class HeldByAttempts {

    private HeldByAttempts() {}

    /** Nearly all have none. */
    static Map<Integer, List<String>> of(List<Held> events) {
        return events.stream()
                .collect(Collectors.groupingBy(
                        Held::attempts, TreeMap::new, Collectors.mapping(Held::eventId, Collectors.toList())));
    }
}
