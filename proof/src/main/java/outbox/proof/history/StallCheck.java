package outbox.proof.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import outbox.proof.history.Delivery.Result;

/**
 * Finds processes that kept events and did not do their part, for longer than a lease in which no fault hindered them. As they have their
 * leases renewed nobody else can help, so whoever looks at the end only would blame it on the fault that ended the process.
 *
 * <ul>
 *   <li>A listener had returned or thrown, and that was not recorded.
 *   <li>No listener was called, though nothing before it had to be waited for, and workers that do not come back from their listeners are given up after half a minute.
 *   <li>Nothing at all was done: no listener ran, and no event came or went.
 * </ul>
 */
final class StallCheck {

    /** So long all workers may be in one delivery each before what waits for them is left to others. */
    private static final Duration PATIENCE_WITH_WORKERS = Duration.ofSeconds(30);

    private final History history;

    StallCheck(History history) {
        this.history = history;
    }

    List<String> violations() {
        List<String> found = new ArrayList<>(unrecorded());
        found.addAll(unbegun());
        found.addAll(idle());
        return found;
    }

    private List<String> unrecorded() {
        List<String> found = new ArrayList<>();
        Map<String, List<Delivery>> deliveries = history.deliveriesByEvent();
        for (Flight flight : history.flights()) {
            deliveries.getOrDefault(flight.eventId(), List.of()).stream()
                    .filter(delivery -> delivery.process().equals(flight.process()))
                    .filter(delivery -> delivery.result() != Result.CUT_OFF)
                    .filter(delivery -> delivery.end() >= flight.from() && delivery.end() <= flight.to())
                    .max(Comparator.comparing(Delivery::end))
                    .filter(last ->
                            isTooLong(last.end(), flight.to(), fault -> fault.isOf(flight.process(), flight.eventId())))
                    .ifPresent(last -> found.add(last + " was not recorded until " + flight.to()));
        }
        return found;
    }

    private List<String> unbegun() {
        List<String> found = new ArrayList<>();
        Duration limit = PATIENCE_WITH_WORKERS.plus(history.lease()).plus(History.PATIENCE);
        Map<String, List<Delivery>> deliveries = history.deliveriesByEvent();
        Map<String, Long> couldBegin = new OrderCheck(history, deliveries).couldBegin();
        for (Flight flight : history.flights()) {
            long from = Math.max(flight.from(), couldBegin.getOrDefault(flight.eventId(), Long.MIN_VALUE));
            boolean begun = deliveries.getOrDefault(flight.eventId(), List.of()).stream()
                    .filter(delivery -> delivery.process().equals(flight.process()))
                    .anyMatch(delivery -> delivery.start() >= flight.from() && delivery.start() <= flight.to());
            if (!begun && isTooLong(from, flight.to(), limit, fault -> fault.isOfAll(flight.process()))) {
                found.add(flight + " was not begun and not left to others");
            }
        }
        return found;
    }

    private List<String> idle() {
        Map<String, List<Flight>> flights = new TreeMap<>();
        history.flights()
                .forEach(flight -> flights.computeIfAbsent(
                                flight.process() + "/" + flight.outbox(), place -> new ArrayList<>())
                        .add(flight));
        Map<String, List<Delivery>> deliveries = new HashMap<>();
        history.deliveries()
                .forEach(delivery -> deliveries
                        .computeIfAbsent(delivery.process() + "/" + delivery.outbox(), place -> new ArrayList<>())
                        .add(delivery));
        List<String> found = new ArrayList<>();
        flights.forEach((place, all) -> findIdle(place, all, deliveries.getOrDefault(place, List.of()), found));
        return found;
    }

    /** What changes at a moment: how many events are kept, and how many listeners run. */
    private static final class Change {
        private int kept;
        private int running;
    }

    private void findIdle(String place, List<Flight> flights, List<Delivery> deliveries, List<String> found) {
        TreeMap<Long, Change> changes = new TreeMap<>();
        flights.forEach(flight -> {
            at(changes, flight.from()).kept++;
            at(changes, flight.to()).kept--;
        });
        deliveries.forEach(delivery -> {
            at(changes, delivery.start()).running++;
            at(changes, delivery.end()).running--;
        });
        String process = flights.get(0).process();
        int kept = 0;
        int running = 0;
        long since = 0;
        for (Map.Entry<Long, Change> change : changes.entrySet()) {
            if (kept > 0 && running == 0 && isTooLong(since, change.getKey(), fault -> fault.isOfAll(process))) {
                found.add(place + " did nothing with the " + kept + " event(s) that it had, " + since + " to "
                        + change.getKey());
            }
            kept += change.getValue().kept;
            running += change.getValue().running;
            since = change.getKey();
        }
    }

    private static Change at(Map<Long, Change> changes, long nanos) {
        return changes.computeIfAbsent(nanos, any -> new Change());
    }

    /** Whether more than a lease, and a while, is left of the time when that of the faults is taken away. */
    private boolean isTooLong(long from, long to, Predicate<FaultWindow> hinders) {
        return isTooLong(from, to, history.lease().plus(History.PATIENCE), hinders);
    }

    private boolean isTooLong(long from, long to, Duration longest, Predicate<FaultWindow> hinders) {
        return to - from > longest.toNanos() && history.unhindered(from, to, hinders) > longest.toNanos();
    }
}
