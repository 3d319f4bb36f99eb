package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.internal.text.SafeLog;

/**
 * Calls a handler once for all events of a batch. It cannot tell which of them made it fail, so it is called again with each half, down to
 * the single event whose failure is recorded: one bad event among n costs about 2 · log2(n) transactions.
 */
final class WholeBatch implements BatchConsumption.Handling {

    private static final Logger LOG = SafeLog.of(WholeBatch.class);

    private final ConsumeParts parts;
    private final AttemptIds attempts;
    private final BatchEventHandler handler;
    private final Map<Arrival, ConsumeResult> results = new LinkedHashMap<>();

    WholeBatch(ConsumeParts parts, AttemptIds attempts, BatchEventHandler handler) {
        this.parts = parts;
        this.attempts = attempts;
        this.handler = handler;
    }

    @Override
    public Map<Arrival, ConsumeResult> consume(List<Arrival> different) {
        consumeOrSplit(different);
        return results;
    }

    private void consumeOrSplit(List<Arrival> arrivals) {
        if (arrivals.isEmpty()) {
            return;
        }
        BatchRound round = new BatchRound(parts, arrivals);
        try {
            results.putAll(round.run(attempts.next(), this::handle));
        } catch (RuntimeException | Error e) {
            List<Arrival> acquired = round.acquired();
            if (acquired.size() > 1) {
                LOG.log(
                        Level.WARNING,
                        "A handler failed with {1} events, the first of them {0}, and is called with each half of them: {2}",
                        acquired.get(0),
                        acquired.size(),
                        HandlerFailure.unwrap(e).getClass().getName());
                consumeOrSplit(arrivals.subList(0, arrivals.size() / 2));
                consumeOrSplit(arrivals.subList(arrivals.size() / 2, arrivals.size()));
            } else if (acquired.size() == 1) {
                results.put(acquired.get(0), parts.failures().recordInBatch(acquired.get(0), e));
                consumeOrSplit(others(arrivals, acquired.get(0)));
            }
            // With none acquired it is not the handler that failed: each event is tried alone and meets the problem
            // itself.
        }
    }

    private static List<Arrival> others(List<Arrival> arrivals, Arrival one) {
        return arrivals.stream().filter(arrival -> !arrival.equals(one)).toList();
    }

    private void handle(List<Arrival> acquired) {
        parts.handlers()
                .run(
                        acquired.get(0).consumerGroup(),
                        () -> handler.handle(
                                acquired.stream().map(Arrival::event).toList()));
    }
}
