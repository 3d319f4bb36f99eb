package outbox.benchmarks.ours;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
        Map<String, BenchEvent> byId = new ConcurrentHashMap<>();
        List<EventEnvelope> arrived = events.stream()
                .map(event -> {
                    byId.put(event.id(), event);
                    return EventEnvelope.builder("OrderPlaced")
                            .eventId(event.id())
                            .payloadJson(event.payload())
                            .build();
                })
                .toList();
        List<ConsumeResult> results = consume(arrived, byId);
        if (!results.stream().allMatch(ConsumeResult::handled)) {
            throw new IllegalStateException("Not all were handled: " + results);
        }
    }

    private List<ConsumeResult> consume(List<EventEnvelope> arrived, Map<String, BenchEvent> byId) {
        if (atOnce) {
            return template.consumeBatch(GROUP, arrived, taken -> insertAll(byId, taken), options);
        }
        if (arrived.size() > 1) {
            return template.consumeAll(GROUP, arrived, event -> insert(byId, event), options);
        }
        return List.of(template.consume(GROUP, arrived.get(0), event -> insert(byId, event), options));
    }

    private void insert(Map<String, BenchEvent> byId, EventEnvelope event) throws SQLException {
        Business.insert(context.currentConnection(), Objects.requireNonNull(byId.get(event.eventId())));
    }

    private void insertAll(Map<String, BenchEvent> byId, List<EventEnvelope> taken) throws SQLException {
        Business.insertAll(
                context.currentConnection(),
                taken.stream()
                        .map(event -> Objects.requireNonNull(byId.get(event.eventId())))
                        .toList());
    }

    @Override
    public void start() {}

    @Override
    public void close() {
        pool.close();
    }
}
