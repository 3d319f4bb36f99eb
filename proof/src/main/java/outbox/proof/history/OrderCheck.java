package outbox.proof.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import outbox.proof.history.Delivery.Result;

/**
 * Finds events of ordered outboxes whose first delivery began before all that their account had committed earlier were settled: delivered
 * for the first time, or dead.
 */
final class OrderCheck {

    private final History history;
    private final Map<String, List<Delivery>> deliveries;

    OrderCheck(History history, Map<String, List<Delivery>> deliveries) {
        this.history = history;
        this.deliveries = deliveries;
    }

    List<String> violations() {
        List<String> found = new ArrayList<>();
        for (List<Booking> account : accounts()) {
            Booking latest = account.get(0);
            long settled = Long.MIN_VALUE;
            for (Booking booking : account) {
                List<Delivery> all = of(booking);
                if (!all.isEmpty() && all.get(0).start() < settled) {
                    found.add(booking + " began at " + all.get(0).start() + ", but " + latest + " was settled at "
                            + settled);
                }
                long end = settledAt(booking);
                if (end > settled) {
                    settled = end;
                    latest = booking;
                }
            }
        }
        return found;
    }

    private Collection<List<Booking>> accounts() {
        return history.bookings().stream()
                .filter(booking -> isOrdered(booking.outbox()))
                .sorted(Comparator.comparing(Booking::n).thenComparing(Booking::place))
                .collect(Collectors.groupingBy(booking -> booking.outbox() + "/" + booking.account()))
                .values();
    }

    private boolean isOrdered(String outbox) {
        OutboxRules rules = history.outboxes().get(outbox);
        return rules != null && rules.ordered();
    }

    /** What a process that was lost to the others has done to an event that was dead already does not count. */
    private long settledAt(Booking booking) {
        if (booking.fate() == Fate.WELL) {
            return of(booking).stream()
                    .filter(delivery -> delivery.result() == Result.OK)
                    .mapToLong(Delivery::end)
                    .min()
                    .orElse(Long.MIN_VALUE);
        }
        return of(booking).stream()
                .filter(delivery -> !history.isHit(delivery))
                .mapToLong(Delivery::end)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private List<Delivery> of(Booking booking) {
        return deliveries.getOrDefault(booking.eventId(), List.of());
    }
}
