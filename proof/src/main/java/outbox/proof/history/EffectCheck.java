package outbox.proof.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import outbox.proof.history.Consumption.Balance;
import outbox.proof.history.Consumption.ConsumeRow;
import outbox.proof.history.Consumption.Effect;
import outbox.proof.history.Violation.Kind;

/** Finds events that were consumed and did not have their effect exactly once, whatever faults there were. */
final class EffectCheck {

    private final History history;
    private final Map<String, List<Effect>> effects;
    private final Map<String, Integer> states = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();

    EffectCheck(History history) {
        this.history = history;
        this.effects = history.consumption().effects().stream().collect(Collectors.groupingBy(Effect::eventId));
        for (ConsumeRow row : history.consumption().records()) {
            states.put(row.eventId(), row.status());
        }
    }

    List<Violation> violations() {
        Map<String, Booking> consumed = new HashMap<>();
        for (Booking booking : history.bookings()) {
            if (isConsumed(booking.outbox())) {
                consumed.put(booking.eventId(), booking);
                check(booking, effects.getOrDefault(booking.eventId(), List.of()));
            }
        }
        for (Effect effect : history.consumption().effects()) {
            Booking booking = consumed.get(effect.eventId());
            if (booking == null || !booking.outbox().equals(effect.outbox())) {
                add(Kind.INVENTED, effect.toString());
            }
        }
        checkBalances();
        return violations;
    }

    private boolean isConsumed(String outbox) {
        OutboxRules rules = history.outboxes().get(outbox);
        return rules != null && rules.consumed();
    }

    private void check(Booking booking, List<Effect> found) {
        int expected = booking.fate().arrives() ? 1 : 0;
        if (found.size() < expected) {
            add(Kind.EFFECT_MISSING, booking + ", recorded as " + states.get(booking.eventId()));
        } else if (found.size() > expected) {
            add(Kind.EFFECT_REPEATED, booking + " had " + found);
        }
        boolean succeeded = Integer.valueOf(ConsumeRow.SUCCEEDED).equals(states.get(booking.eventId()));
        if (succeeded != (expected == 1)) {
            add(Kind.WRONG_STATE, booking + " is recorded as consumed with state " + states.get(booking.eventId()));
        }
        for (Effect effect : found) {
            if (effect.payloadSum() != booking.payloadSum() || !effect.debited().equals(booking.account())) {
                add(Kind.ALTERED, booking + " had " + effect);
            }
        }
    }

    /** An effect that is there by half would be seen here. */
    private void checkBalances() {
        Map<String, Long> expected = new HashMap<>();
        for (Effect effect : history.consumption().effects()) {
            expected.merge(effect.debited(), -1L, Long::sum);
            expected.merge(effect.credited(), 1L, Long::sum);
        }
        for (Balance balance : history.consumption().balances()) {
            long units = expected.getOrDefault(balance.account(), 0L);
            if (balance.units() != units) {
                add(Kind.WRONG_STATE, balance + " should have " + units + " by its effects");
            }
        }
    }

    private void add(Kind kind, String what) {
        violations.add(new Violation(kind, what));
    }
}
