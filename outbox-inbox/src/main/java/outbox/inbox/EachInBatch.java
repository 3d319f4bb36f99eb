package outbox.inbox;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler for one event of a batch after another. When one fails, everything is rolled back and the others are tried again
 * without it; after a few such rounds the rest is left undecided.
 */
final class EachInBatch implements BatchConsumption.Handling {

    /** A savepoint for each event would cost all of them extra statements because of the few that fail. */
    private static final int ROUNDS = 3;

    private final ConsumeParts parts;
    private final AttemptIds attempts;
    private @Nullable Arrival running;

    EachInBatch(ConsumeParts parts, AttemptIds attempts) {
        this.parts = parts;
        this.attempts = attempts;
    }

    @Override
    public Map<Arrival, ConsumeResult> consume(List<Arrival> different) {
        Set<Arrival> open = new LinkedHashSet<>(different);
        Map<Arrival, ConsumeResult> results = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
            Map<Arrival, ConsumeResult> decided = runRound(List.copyOf(open));
            results.putAll(decided);
            open.removeAll(decided.keySet());
            if (decided.values().stream().noneMatch(ConsumeResult::failed)) {
                break;
            }
        }
        return results;
    }

    /** What one transaction decided: all events that were new or handled before, or only the one that made it fail. */
    private Map<Arrival, ConsumeResult> runRound(List<Arrival> arrivals) {
        try {
            return new BatchRound(parts, arrivals).run(attempts.next(), this::handleEach);
        } catch (RuntimeException | Error e) {
            Arrival culprit = running;
            running = null;
            return culprit == null ? Map.of() : Map.of(culprit, parts.failures().recordInBatch(culprit, e));
        }
    }

    private void handleEach(List<Arrival> acquired) {
        for (Arrival arrival : acquired) {
            running = arrival;
            parts.handlers().run(arrival);
        }
        running = null;
    }
}
