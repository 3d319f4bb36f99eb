package outbox.samples.operations;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** What the relays have told of their deliveries. Thread-safe. */
final class Deliveries {

    /** A delivery that billing has acknowledged, and whether it was handled or known already. */
    record Delivery(String relay, String orderId, String outcome) {}

    private final List<Delivery> all = new CopyOnWriteArrayList<>();

    void add(Delivery delivery) {
        all.add(delivery);
    }

    long count(Predicate<Delivery> which) {
        return all.stream().filter(which).count();
    }

    long by(Relay relay) {
        return count(delivery -> delivery.relay().equals(relay.name()));
    }

    long of(String orderId) {
        return count(delivery -> delivery.orderId().equals(orderId));
    }

    /** How many different orders were delivered. */
    long orders() {
        return all.stream().map(Delivery::orderId).distinct().count();
    }
}
