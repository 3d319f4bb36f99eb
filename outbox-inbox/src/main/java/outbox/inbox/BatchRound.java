package outbox.inbox;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** One attempt to consume different events in one transaction. */
final class BatchRound {

    private final ConsumeParts parts;
    private final List<Arrival> arrivals;
    private BatchAcquireResult answer = new BatchAcquireResult(Set.of(), Set.of());

    BatchRound(ConsumeParts parts, List<Arrival> arrivals) {
        this.parts = parts;
        this.arrivals = arrivals;
    }

    /**
     * Acquires those events that have no record yet, has them handled and commits.
     *
     * @param attempt an id that no round had before: what is recorded under it was acquired by this round, while an earlier one may have
     *     been committed although its answer was lost
     * @param handling called with the acquired ones in the order of their arrival, if there are any
     * @return what was decided: all events that were new or handled before
     */
    Map<Arrival, ConsumeResult> run(String attempt, Consumer<List<Arrival>> handling) {
        parts.transactions().run(new Names(arrivals), () -> {
            answer = acquire(attempt);
            List<Arrival> acquired = acquired();
            acquired.forEach(arrival -> parts.metrics().incrementAcquired(arrival.consumerGroup()));
            if (!acquired.isEmpty()) {
                handling.accept(acquired);
            }
        });
        return decided();
    }

    /** Those that were acquired, even if the transaction failed later. */
    List<Arrival> acquired() {
        return arrivals.stream()
                .filter(arrival -> answer.acquired().contains(arrival.event().eventId()))
                .toList();
    }

    /** In the same order for all consumers, so that two batches with common events cannot deadlock. */
    private BatchAcquireResult acquire(String attempt) {
        return parts.repository()
                .tryRecordSuccesses(arrivals.stream()
                        .map(arrival -> arrival.wish(attempt))
                        .sorted(Comparator.comparing(AcquireConsumeCommand::eventId))
                        .toList());
    }

    /** Names a batch when it is asked to: nearly always nobody asks. */
    private record Names(List<Arrival> arrivals) {

        @Override
        public String toString() {
            int others = arrivals.size() - 1;
            return arrivals.get(0) + (others == 0 ? "" : " and " + others + " other event(s)");
        }
    }

    private Map<Arrival, ConsumeResult> decided() {
        Map<Arrival, ConsumeResult> decided = new LinkedHashMap<>();
        for (Arrival arrival : arrivals) {
            if (answer.acquired().contains(arrival.event().eventId())) {
                decided.put(arrival, ConsumeResult.HANDLED);
            } else if (answer.succeeded().contains(arrival.event().eventId())) {
                parts.metrics().incrementReplayed(arrival.consumerGroup());
                decided.put(arrival, ConsumeResult.REPLAYED);
            }
        }
        return decided;
    }
}
