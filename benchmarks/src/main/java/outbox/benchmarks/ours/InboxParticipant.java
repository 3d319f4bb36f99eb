package outbox.benchmarks.ours;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.EventEnvelope;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/** This project's consumer: the template on its own table, by a lease (the default) or in one transaction. */
final class InboxParticipant implements Participant {

    private static final String GROUP = "G";

    private final Pool pool;
    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final EventHandlerTemplate template;
    private final ConsumeOptions options;
    private final boolean atOnce;

    private InboxParticipant(Pool pool, ConsumeOptions options, boolean atOnce) {
        this.pool = pool;
        this.options = options;
        this.atOnce = atOnce;
        this.template = new DefaultEventHandlerTemplate(
                JdbcInbox.on(pool.dataSource(), context).repository(),
                context,
                TransactionRunner.of(
                        new JdbcTransactionManager(new DataSourceConnectionProvider(pool.dataSource()), context)));
    }

    /** @param atOnce whether the handler is called once for all events of a transaction */
    static InboxParticipant open(Scratch database, boolean usesDefaults, boolean atOnce) throws SQLException {
        try (Connection connection = database.connect()) {
            InboxSchema.create(connection, database.kind().label(), InboxSchema.DEFAULT_TABLE);
        }
        return new InboxParticipant(
                database.openPool(),
                usesDefaults ? ConsumeOptions.defaults() : ConsumeOptions.inOneTransaction(),
                atOnce);
    }

    @Override
    public void write(List<BenchEvent> events) {
        if (events.size() == 1) {
            requireHandled(template.consume(GROUP, envelope(events.get(0)), this::insert, options));
            return;
        }
        List<EventEnvelope> arrived =
                events.stream().map(InboxParticipant::envelope).toList();
        List<ConsumeResult> results = atOnce
                ? template.consumeBatch(GROUP, arrived, this::insertAll, options)
                : template.consumeAll(GROUP, arrived, this::insert, options);
        results.forEach(InboxParticipant::requireHandled);
    }

    private static EventEnvelope envelope(BenchEvent event) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(event.id())
                .payloadJson(event.payload())
                .build();
    }

    private static void requireHandled(ConsumeResult result) {
        if (!result.handled()) {
            throw new IllegalStateException("Not handled: " + result);
        }
    }

    private void insert(EventEnvelope event) throws SQLException {
        Business.insert(context.currentConnection(), inside(event));
    }

    private void insertAll(List<EventEnvelope> taken) throws SQLException {
        Business.insertAll(
                context.currentConnection(),
                taken.stream().map(InboxParticipant::inside).toList());
    }

    private static BenchEvent inside(EventEnvelope event) {
        return new BenchEvent(BenchEvent.numberIn(event.payloadJson()));
    }

    @Override
    public void start() {}

    @Override
    public void close() {
        pool.close();
    }
}
