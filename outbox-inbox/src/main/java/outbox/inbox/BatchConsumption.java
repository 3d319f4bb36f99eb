package outbox.inbox;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Consumes several events in one transaction. When one fails, everything is rolled back and the others are tried again without it; after
 * a few such rounds the rest is consumed one by one, as are events that have a record already but were not handled.
 */
final class BatchConsumption {

    /** A savepoint for each event would make all of them pay, in statements, for the few that fail. */
    private static final int ROUNDS = 3;

    private final ConsumeParts parts;

    BatchConsumption(ConsumeParts parts) {
        this.parts = parts;
    }

    /** A result for each arrival; {@code oneByOne} is how to consume those that the batch cannot decide. */
    List<ConsumeResult> consume(List<Arrival> arrivals, String attempt, BatchFallback oneByOne) {
        Map<String, Arrival> open = new LinkedHashMap<>();
        arrivals.forEach(arrival -> open.putIfAbsent(arrival.event().eventId(), arrival));
        Map<Arrival, ConsumeResult> results = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
            Map<Arrival, ConsumeResult> decided = runRound(List.copyOf(open.values()), attempt);
            results.putAll(decided);
            decided.keySet().forEach(arrival -> open.remove(arrival.event().eventId()));
            if (decided.values().stream().noneMatch(ConsumeResult::failed)) {
                break;
            }
        }
        List<ConsumeResult> inOrder = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            ConsumeResult decided = results.remove(arrival);
            inOrder.add(decided == null ? oneByOne.consume(arrival) : decided);
        }
        return inOrder;
    }

    /** Consumes one event and throws nothing. */
    @FunctionalInterface
    interface BatchFallback {
        ConsumeResult consume(Arrival arrival);
    }

    /** What one transaction decided: all that were new or handled before, or the one that spoilt it. */
    private Map<Arrival, ConsumeResult> runRound(List<Arrival> arrivals, String attempt) {
        Round round = new Round(arrivals, attempt);
        try {
            parts.transactions().run(round);
            return round.decided();
        } catch (RuntimeException | Error e) {
            Arrival culprit = round.running;
            if (culprit == null) {
                return Map.of();
            }
            Throwable failure = HandlerFailure.unwrap(e);
            parts.failures().record(culprit, null, 0, failure);
            return Map.of(culprit, ConsumeResult.failed(failure));
        }
    }

    private final class Round implements Runnable {

        private final List<Arrival> arrivals;
        private final String attempt;
        private BatchAcquireResult acquired = new BatchAcquireResult(Set.of(), Set.of());
        private @Nullable Arrival running;

        private Round(List<Arrival> arrivals, String attempt) {
            this.arrivals = arrivals;
            this.attempt = attempt;
        }

        @Override
        public void run() {
            // In one order for all consumers, so that two batches with common events do not wait for each other.
            acquired = parts.repository()
                    .tryRecordSuccesses(arrivals.stream()
                            .map(arrival -> arrival.wish(attempt))
                            .sorted(Comparator.comparing(AcquireConsumeCommand::eventId))
                            .toList());
            for (Arrival arrival : arrivals) {
                if (acquired.acquired().contains(arrival.event().eventId())) {
                    parts.metrics().incrementAcquired(arrival.consumerGroup());
                    running = arrival;
                    parts.handlers().run(arrival);
                    running = null;
                }
            }
        }

        private Map<Arrival, ConsumeResult> decided() {
            Map<Arrival, ConsumeResult> decided = new LinkedHashMap<>();
            for (Arrival arrival : arrivals) {
                if (acquired.acquired().contains(arrival.event().eventId())) {
                    decided.put(arrival, ConsumeResult.HANDLED);
                } else if (acquired.succeeded().contains(arrival.event().eventId())) {
                    parts.metrics().incrementReplayed(arrival.consumerGroup());
                    decided.put(arrival, ConsumeResult.REPLAYED);
                }
            }
            return decided;
        }
    }
}
