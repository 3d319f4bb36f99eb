package outbox.proof.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.Violation.Kind;

/** Judges a history. */
public final class HistoryChecker {

    private final History history;
    private final Map<String, List<Delivery>> deliveries;
    private final Map<String, OutboxRow> rows = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private int explainedRepeats;

    private HistoryChecker(History history) {
        this.history = history;
        this.deliveries = history.deliveriesByEvent();
        history.rows().forEach(row -> rows.put(row.eventId(), row));
    }

    /** Whether every promise was kept. */
    public static Verdict check(History history) {
        return new HistoryChecker(history).verdict();
    }

    private Verdict verdict() {
        findInvented();
        for (Booking booking : history.bookings()) {
            checkEnd(booking);
            checkPayload(booking);
            checkRepeats(booking);
        }
        new OrderCheck(history, deliveries).violations().forEach(what -> add(Kind.OUT_OF_ORDER, what));
        new OverlapCheck(history, deliveries).violations().forEach(what -> add(Kind.OVERLAPPING, what));
        new StallCheck(history).violations().forEach(what -> add(Kind.STALLED, what));
        violations.addAll(new EffectCheck(history).violations());
        history.rows().stream()
                .filter(row -> row.lockedBy() != null)
                .forEach(
                        row -> add(Kind.STILL_LEASED, row.eventId() + " in " + row.outbox() + " by " + row.lockedBy()));
        history.leaks().forEach(leak -> add(Kind.LEAKED, leak));
        return new Verdict(List.copyOf(violations), explainedRepeats);
    }

    private void findInvented() {
        Set<String> committed = new HashSet<>();
        history.bookings().forEach(booking -> committed.add(place(booking.outbox(), booking.eventId())));
        for (Delivery delivery : history.deliveries()) {
            if (!committed.contains(place(delivery.outbox(), delivery.eventId()))) {
                add(Kind.INVENTED, delivery + " from " + delivery.outbox());
            }
        }
        for (OutboxRow row : history.rows()) {
            if (!committed.contains(place(row.outbox(), row.eventId()))) {
                add(Kind.INVENTED, "row " + row.eventId() + " in " + row.outbox());
            }
        }
    }

    private static String place(String outbox, String eventId) {
        return outbox + "/" + eventId;
    }

    private void checkEnd(Booking booking) {
        boolean arrived = of(booking).stream().anyMatch(delivery -> delivery.result() == Result.OK);
        if (booking.fate().arrives() && !arrived) {
            add(Kind.LOST, booking + ", row " + rows.get(booking.eventId()) + ", deliveries " + of(booking));
        } else if (!booking.fate().arrives() && arrived) {
            add(Kind.WRONG_STATE, booking + " was delivered though its listener never returns well");
        }
        OutboxRow row = rows.get(booking.eventId());
        if (!isSettled(booking, row)) {
            add(Kind.WRONG_STATE, booking + " has row " + row);
        }
        if (row != null && row.status() == OutboxRow.DEAD && of(booking).isEmpty() && !mayDieUnheard(booking)) {
            add(Kind.UNHEARD, booking + " has row " + row);
        }
    }

    /** A row that cannot be decoded would be another exception; proofs write none. */
    private boolean mayDieUnheard(Booking booking) {
        OutboxRules rules = history.outboxes().get(booking.outbox());
        return rules != null && rules.mayDieUnheard();
    }

    private boolean isSettled(Booking booking, @Nullable OutboxRow row) {
        if (!booking.fate().arrives()) {
            return row != null && row.status() == OutboxRow.DEAD;
        }
        OutboxRules rules = history.outboxes().get(booking.outbox());
        if (rules != null && rules.deletesDelivered()) {
            return row == null;
        }
        return row != null && row.status() == OutboxRow.DONE;
    }

    private void checkPayload(Booking booking) {
        for (Delivery delivery : of(booking)) {
            if (delivery.result() != Result.CUT_OFF && delivery.payloadSum() != booking.payloadSum()) {
                add(
                        Kind.ALTERED,
                        delivery + " has sum " + delivery.payloadSum() + " instead of " + booking.payloadSum());
            }
        }
    }

    private void checkRepeats(Booking booking) {
        List<Delivery> all = of(booking);
        for (int i = 1; i < all.size(); i++) {
            Delivery repeat = all.get(i);
            List<Delivery> before = all.subList(0, i).stream()
                    .filter(earlier -> earlier.result() != Result.FAILED || earlier.overlaps(repeat))
                    .toList();
            if (before.isEmpty()) {
                continue;
            }
            if (history.isHit(repeat) || before.stream().anyMatch(history::isHit)) {
                explainedRepeats++;
            } else {
                add(Kind.REPEATED, repeat + " after " + before);
            }
        }
    }

    private List<Delivery> of(Booking booking) {
        return deliveries.getOrDefault(booking.eventId(), List.of());
    }

    private void add(Kind kind, String what) {
        violations.add(new Violation(kind, what));
    }
}
