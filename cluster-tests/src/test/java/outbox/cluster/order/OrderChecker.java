package outbox.cluster.order;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import outbox.cluster.order.Delivery.Result;
import outbox.cluster.order.Violation.Kind;
import outbox.model.EventStatus;

/**
 * Judges a history.
 *
 * <p>Whatever faults there were: only what was committed is delivered, each event is delivered or DEAD as it should be, and the first
 * delivery of an event begins after all that were committed before it in its key are <em>settled</em>. Settled means: delivered well for
 * the first time; or DEAD, that is after its last delivery, or after a person has discarded it if it held its key.
 *
 * <p>Where no fault has hit: no two events of a key run at the same time, and nothing that has run well runs again.
 */
final class OrderChecker {

    private final History history;
    private final Map<String, List<Delivery>> byEvent;
    private final List<Violation> violations = new ArrayList<>();
    private int repeats;
    private int lateStarts;

    private OrderChecker(History history) {
        this.history = history;
        this.byEvent = history.byEvent();
    }

    static Verdict check(History history) {
        return new OrderChecker(history).verdict();
    }

    private Verdict verdict() {
        findInvented();
        for (CommittedEvent event : history.events()) {
            checkEnd(event);
            checkRepeats(event);
        }
        for (List<CommittedEvent> events : history.byKey().values()) {
            checkOrder(events);
            checkOverlaps(events);
        }
        return new Verdict(List.copyOf(violations), repeats, lateStarts);
    }

    private boolean isLateStart(Delivery delivery) {
        return history.faults().stream().anyMatch(fault -> fault.isLateStart(delivery));
    }

    private void findInvented() {
        Set<String> committed =
                history.events().stream().map(CommittedEvent::eventId).collect(Collectors.toSet());
        history.deliveries().stream()
                .filter(delivery -> !committed.contains(delivery.eventId()))
                .forEach(delivery -> add(Kind.INVENTED, null, delivery.toString()));
    }

    private void checkEnd(CommittedEvent event) {
        boolean asItShould = event.status() == EventStatus.DEAD
                ? event.fate() == Fate.POISON
                : event.status() == EventStatus.DONE && event.fate() != Fate.POISON && hasRunWell(event);
        if (!asItShould) {
            add(Kind.LOST, event.key(), event + " after " + deliveries(event).size() + " deliveries");
        }
    }

    private boolean hasRunWell(CommittedEvent event) {
        return deliveries(event).stream().anyMatch(delivery -> delivery.result() == Result.OK);
    }

    private void checkRepeats(CommittedEvent event) {
        List<Delivery> all = deliveries(event);
        for (int i = 1; i < all.size(); i++) {
            Delivery repeat = all.get(i);
            List<Delivery> before = all.subList(0, i).stream()
                    .filter(earlier -> earlier.result() != Result.FAILED || earlier.overlaps(repeat))
                    .toList();
            if (before.isEmpty()) {
                continue;
            }
            repeats++;
            lateStarts += isLateStart(repeat) ? 1 : 0;
            if (!history.isHit(repeat) && before.stream().noneMatch(history::isHit)) {
                add(Kind.REPEAT, event.key(), event + ": " + repeat + " after " + before);
            }
        }
    }

    private void checkOrder(List<CommittedEvent> events) {
        CommittedEvent before = null;
        int settled = -1;
        int begun = -1;
        for (CommittedEvent event : events) {
            int start = firstStart(event);
            if (start < begun) {
                add(Kind.INVERSION, event.key(), event + " began before " + before);
            } else if (start < settled) {
                add(Kind.TOO_EARLY, event.key(), event + " began before the end of " + before);
            }
            int end = settledAt(event);
            if (end >= settled) {
                settled = end;
                before = event;
            }
            begun = start == Integer.MAX_VALUE ? begun : Math.max(begun, start);
        }
    }

    /** An event that ends DEAD because its processes died may never have begun. */
    private int firstStart(CommittedEvent event) {
        List<Delivery> all = deliveries(event);
        return all.isEmpty() ? Integer.MAX_VALUE : all.get(0).start();
    }

    private int settledAt(CommittedEvent event) {
        if (event.status() == EventStatus.DONE) {
            return deliveries(event).stream()
                    .filter(delivery -> delivery.result() == Result.OK)
                    .mapToInt(Delivery::end)
                    .min()
                    .orElse(-1);
        }
        if (event.status() != EventStatus.DEAD) {
            return Integer.MAX_VALUE;
        }
        return event.holdsKeyWhenDead()
                ? history.discarded().getOrDefault(event.eventId(), Integer.MAX_VALUE)
                : unhit(event).stream().mapToInt(Delivery::end).max().orElse(-1);
    }

    private void checkOverlaps(List<CommittedEvent> events) {
        List<Delivery> all = events.stream()
                .flatMap(event -> unhit(event).stream())
                .sorted(Comparator.comparing(Delivery::start))
                .toList();
        Delivery last = null;
        for (Delivery delivery : all) {
            if (last != null && delivery.overlaps(last) && !delivery.eventId().equals(last.eventId())) {
                add(Kind.OVERLAP, events.get(0).key(), delivery + " while " + last);
            }
            last = last == null || delivery.end() > last.end() ? delivery : last;
        }
    }

    private List<Delivery> unhit(CommittedEvent event) {
        return deliveries(event).stream()
                .filter(delivery -> !history.isHit(delivery))
                .toList();
    }

    private List<Delivery> deliveries(CommittedEvent event) {
        return byEvent.getOrDefault(event.eventId(), List.of());
    }

    private void add(Kind kind, String key, String what) {
        violations.add(new Violation(kind, key, what));
    }
}
