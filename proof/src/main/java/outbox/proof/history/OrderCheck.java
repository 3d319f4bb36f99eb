package outbox.proof.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.proof.history.Delivery.Result;

/**
 * Finds events of ordered outboxes whose first delivery began before all that their account had committed earlier were settled: delivered
 * for the first time, or dead. A dead event that holds its account is settled when a person has discarded it.
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
        for (List<Booking> account : history.accountsInOrder()) {
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

    /** When each event could begin, because all that its account had committed earlier was settled. */
    Map<String, Long> couldBegin() {
        Map<String, Long> times = new HashMap<>();
        for (List<Booking> account : history.accountsInOrder()) {
            long settled = Long.MIN_VALUE;
            for (Booking booking : account) {
                times.put(booking.eventId(), settled);
                settled = Math.max(settled, settledAt(booking));
            }
        }
        return times;
    }

    /** What a process that was lost to the others has done to an event that was dead already does not count. */
    private long settledAt(Booking booking) {
        if (booking.fate().arrives()) {
            return of(booking).stream()
                    .filter(delivery -> delivery.result() == Result.OK)
                    .mapToLong(Delivery::end)
                    .min()
                    .orElse(Long.MIN_VALUE);
        }
        if (booking.held()) {
            return history.discards().getOrDefault(booking.eventId(), Long.MAX_VALUE);
        }
        return of(booking).stream()
                .filter(delivery ->
                        booking.fate() == Fate.KILLER ? !history.isHitFromOutside(delivery) : !history.isHit(delivery))
                .mapToLong(Delivery::end)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private List<Delivery> of(Booking booking) {
        return deliveries.getOrDefault(booking.eventId(), List.of());
    }
}
