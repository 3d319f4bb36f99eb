package outbox.proof.history;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * All that is known of what happened.
 *
 * @param outboxes the rules of each outbox, by its table
 * @param lease for how long an event belongs to a process that says nothing more
 * @param flights which events each process kept from the others, and when
 * @param consumption what the consumers did with the events of outboxes that are consumed
 * @param discards when a person let an account go on without a dead event, by the event's id
 * @param leaks what processes kept that they should have given back, in words
 */
public record History(
        Map<String, OutboxRules> outboxes,
        Duration lease,
        List<Booking> bookings,
        List<Delivery> deliveries,
        List<Flight> flights,
        List<OutboxRow> rows,
        Consumption consumption,
        List<FaultWindow> faults,
        Map<String, Long> discards,
        List<String> leaks) {

    /**
     * So long a process that nothing is wrong with may take to store what became of an event, or to have its leases prolonged once it can
     * again. Generous, because the machine may be busy with other things.
     */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** With the faults in the order in which they began. */
    public History {
        faults = faults.stream().sorted(Comparator.comparing(FaultWindow::from)).toList();
    }

    /** Whether a fault may be the reason that the delivery was not recorded, or that its lease was lost. */
    boolean isHit(Delivery delivery) {
        return isHit(delivery, fault -> true);
    }

    /** As {@link #isHit(Delivery)}, if events that end their process are no fault. */
    boolean isHitFromOutside(Delivery delivery) {
        return isHit(delivery, fault -> !fault.isDeathByEvent());
    }

    private boolean isHit(Delivery delivery, Predicate<FaultWindow> which) {
        return faults.stream()
                .anyMatch(fault -> fault.excusesRepeats() && which.test(fault) && touches(fault, delivery));
    }

    /** Whether the delivery was running then, or a lease before, or had just ended and may not have been recorded yet. */
    private boolean touches(FaultWindow fault, Delivery delivery) {
        return fault.isOf(delivery.process(), delivery.eventId())
                && delivery.start() <= fault.to() + lease.plus(PATIENCE).toNanos()
                && unhindered(delivery.end(), fault.from(), other -> other.isOf(delivery.process(), delivery.eventId()))
                        <= PATIENCE.toNanos();
    }

    /** What is left of a time when that of the faults, and a while after each, is taken away. */
    long unhindered(long from, long to, Predicate<FaultWindow> hinders) {
        if (to - from <= PATIENCE.toNanos()) {
            return to - from;
        }
        long unhindered = 0;
        long at = from;
        for (FaultWindow fault : faults) {
            if (fault.from() >= to) {
                break;
            }
            if (hinders.test(fault)) {
                unhindered += Math.max(0, fault.from() - at);
                at = Math.max(at, fault.to() + PATIENCE.toNanos());
            }
        }
        return unhindered + Math.max(0, to - at);
    }

    /** What each account has committed to each ordered outbox, in the order of its transactions. */
    Collection<List<Booking>> accountsInOrder() {
        return bookings.stream()
                .filter(booking -> booking.account() != null && isOrdered(booking.outbox()))
                .sorted(Comparator.comparing(Booking::n).thenComparing(Booking::place))
                .collect(Collectors.groupingBy(booking -> booking.outbox() + "/" + booking.account()))
                .values();
    }

    private boolean isOrdered(String outbox) {
        OutboxRules rules = outboxes.get(outbox);
        return rules != null && rules.ordered();
    }

    /** The deliveries of each event, the first one first. */
    Map<String, List<Delivery>> deliveriesByEvent() {
        return deliveries.stream()
                .sorted(Comparator.comparing(Delivery::start))
                .collect(Collectors.groupingBy(Delivery::eventId));
    }
}
