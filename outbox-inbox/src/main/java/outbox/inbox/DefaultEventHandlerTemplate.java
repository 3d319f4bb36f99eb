package outbox.inbox;

import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import outbox.EventEnvelope;
import outbox.internal.text.EventNames;
import outbox.spi.ConsumeMetrics;
import outbox.spi.TxContext;

/** The template on top of a repository and the application's transactions. Thread-safe. */
public final class DefaultEventHandlerTemplate implements EventHandlerTemplate {

    private final AttemptIds attempts = new AttemptIds();
    private final ConsumeParts parts;
    private final LeaseConsumption withLease;
    private final TransactionConsumption inTransaction;
    private final BatchConsumption inBatch;
    private final Refusals refusals;
    private final EventNames names;

    /**
     * A template without metrics.
     *
     * @param repository keeps the records; must take part in the transactions of the context
     * @param context sees the transactions that the runner begins
     * @param transactions begins and ends the handlers' transactions
     */
    public DefaultEventHandlerTemplate(
            EventDedupRepository repository, TxContext context, TransactionRunner transactions) {
        this(repository, context, transactions, ConsumeMetrics.NOOP);
    }

    /** A template that reports what happens as numbers. */
    public DefaultEventHandlerTemplate(
            EventDedupRepository repository,
            TxContext context,
            TransactionRunner transactions,
            ConsumeMetrics metrics) {
        this(repository, context, transactions, metrics, UnaryOperator.identity());
    }

    /**
     * A template that reports what happens as numbers.
     *
     * @param tenantInLogs how messages show the tenant of an event, for example not at all
     */
    public DefaultEventHandlerTemplate(
            EventDedupRepository repository,
            TxContext context,
            TransactionRunner transactions,
            ConsumeMetrics metrics,
            UnaryOperator<String> tenantInLogs) {
        EventDedupRepository records =
                repository.withTenantInLogs(Objects.requireNonNull(tenantInLogs, "tenantInLogs"));
        this.names = new EventNames(records.tableName(), tenantInLogs);
        ConsumeMetrics guarded = new GuardedConsumeMetrics(Objects.requireNonNull(metrics, "metrics"));
        this.parts = new ConsumeParts(
                records,
                new ConsumeTransactions(
                        Objects.requireNonNull(context, "context"),
                        Objects.requireNonNull(transactions, "transactions")),
                guarded);
        this.withLease = new LeaseConsumption(parts);
        this.inTransaction = new TransactionConsumption(parts);
        this.inBatch = new BatchConsumption(this::consumeAlone);
        this.refusals = new Refusals(new OutcomeWatch(records), guarded);
    }

    @Override
    public ConsumeResult consume(
            String consumerGroup, EventEnvelope event, EventHandler handler, ConsumeOptions options) {
        Arrival arrival = new Arrival(consumerGroup, event, handler, options, names);
        parts.transactions().requireNone();
        AcquireConsumeResult result = options.acquisition() == Acquisition.LEASE
                ? withLease.consume(arrival, attempts.next())
                : inTransaction.consume(arrival, attempts.next());
        return result.acquired() ? ConsumeResult.HANDLED : refusals.answer(arrival, result);
    }

    @Override
    public List<ConsumeResult> consumeAll(
            String consumerGroup, List<EventEnvelope> events, EventHandler handler, ConsumeOptions options) {
        List<Arrival> arrivals = arrivals(consumerGroup, events, handler, options);
        return inBatch.consume(arrivals, new EachInBatch(parts, attempts));
    }

    @Override
    public List<ConsumeResult> consumeBatch(
            String consumerGroup, List<EventEnvelope> events, BatchEventHandler handler, ConsumeOptions options) {
        List<Arrival> arrivals = arrivals(consumerGroup, events, handler.oneByOne(), options);
        return inBatch.consume(arrivals, new WholeBatch(parts, attempts, handler));
    }

    private List<Arrival> arrivals(
            String consumerGroup, List<EventEnvelope> events, EventHandler handler, ConsumeOptions options) {
        ConsumeOptions inOneTransaction = options.withAcquisition(Acquisition.TRANSACTION);
        parts.transactions().requireNone();
        return events.stream()
                .map(event -> new Arrival(consumerGroup, event, handler, inOneTransaction, names))
                .toList();
    }

    private ConsumeResult consumeAlone(Arrival arrival) {
        try {
            return consume(arrival.consumerGroup(), arrival.event(), arrival.handler(), arrival.options());
        } catch (RuntimeException | Error e) {
            return ConsumeResult.failed(e);
        }
    }
}
