package outbox.proof.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds events of an account that ran at the same time though their outbox is ordered and no fault had hit them. */
final class OverlapCheck {

    private final History history;
    private final Map<String, List<Delivery>> deliveries;

    OverlapCheck(History history, Map<String, List<Delivery>> deliveries) {
        this.history = history;
        this.deliveries = deliveries;
    }

    List<String> violations() {
        List<String> found = new ArrayList<>();
        for (List<Booking> account : history.accountsInOrder()) {
            @Nullable Delivery last = null;
            for (Delivery delivery : undisturbed(account)) {
                if (last != null
                        && delivery.overlaps(last)
                        && !delivery.eventId().equals(last.eventId())) {
                    found.add(delivery + " while " + last);
                }
                last = last == null || delivery.end() > last.end() ? delivery : last;
            }
        }
        return found;
    }

    private List<Delivery> undisturbed(List<Booking> account) {
        return account.stream()
                .flatMap(booking -> deliveries.getOrDefault(booking.eventId(), List.of()).stream())
                .filter(delivery -> !history.isHit(delivery))
                .sorted(Comparator.comparing(Delivery::start))
                .toList();
    }
}
