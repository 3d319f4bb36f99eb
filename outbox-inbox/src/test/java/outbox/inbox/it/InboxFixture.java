package outbox.inbox.it;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.BatchEventHandler;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeRecordStore;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.EventHandler;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConsumeMetrics;

import static org.assertj.core.api.Assertions.assertThat;

/** One consumer on a database, with a group of its own. */
final class InboxFixture {

    static final Duration MINUTE = Duration.ofMinutes(1);
    static final String TYPE = "OrderPlaced";

    final DataSource pool;
    final String group = "g-" + UUID.randomUUID();
    final ThreadLocalTxContext context = new ThreadLocalTxContext();
    final JdbcTransactionManager transactions;
    final EventDedupRepository repository;
    final ConsumeRecordStore records;
    final RecordingMetrics metrics = new RecordingMetrics();
    final DefaultEventHandlerTemplate template;

    InboxFixture(DataSource pool) {
        this.pool = pool;
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(pool), context);
        JdbcInbox inbox = JdbcInbox.on(pool, context);
        inbox.checkSchema();
        this.repository = inbox.repository();
        this.records = inbox.records();
        this.template =
                new DefaultEventHandlerTemplate(repository, context, TransactionRunner.of(transactions), metrics);
    }

    static EventEnvelope event() {
        return EventEnvelope.builder(TYPE)
                .tenantId("t1")
                .payloadJson("{\"secret\":\"MARKER-OF-THE-PAYLOAD\"}")
                .build();
    }

    /** A handler that leaves one effect for each call that is committed. */
    EventHandler effect() {
        return effect(group);
    }

    EventHandler effect(String ofGroup) {
        return event -> Effects.add(context.currentConnection(), ofGroup, event);
    }

    /** A handler that leaves one effect for each event of each call that is committed, by one statement. */
    BatchEventHandler effectOfAll() {
        return events -> Effects.addAll(context.currentConnection(), group, events);
    }

    /** A handler that leaves an effect and then fails. */
    EventHandler failing(Throwable failure) {
        return event -> {
            effect().handle(event);
            if (failure instanceof Exception e) {
                throw e;
            }
            throw (Error) failure;
        };
    }

    AcquireConsumeCommand wish(EventEnvelope event, String attempt) {
        return AcquireConsumeCommand.of(group, event, attempt, MINUTE);
    }

    ConsumeRecord record(EventEnvelope event) {
        return repository.find(group, event.eventId()).orElseThrow();
    }

    long effects() {
        return Effects.count(pool, group);
    }

    long effectsOf(EventEnvelope event) {
        return Effects.number(
                pool, "SELECT count(*) FROM effect WHERE consumer_group = ? AND event_id = ?", group, event.eventId());
    }

    /** Checks that the poisonous events were recorded as failed without an effect, and that all others have one. */
    void assertOnlyFailed(Set<String> poison, List<EventEnvelope> events, List<ConsumeResult> results) {
        for (int i = 0; i < events.size(); i++) {
            EventEnvelope event = events.get(i);
            boolean bad = poison.contains(event.eventId());
            assertThat(results.get(i).failed()).isEqualTo(bad);
            assertThat(effectsOf(event)).isEqualTo(bad ? 0 : 1);
            assertThat(record(event).status()).isEqualTo(bad ? ConsumeStatus.FAILED : ConsumeStatus.SUCCEEDED);
            assertThat(record(event).retryCount()).isEqualTo(bad ? 1 : 0);
        }
    }

    /** Lets the time of a record pass: its lease has expired, its retry is due. */
    void letTimePass(EventEnvelope event) {
        Effects.execute(
                pool,
                "UPDATE event_consume_record SET locked_until = created_at, next_retry_at = CASE WHEN next_retry_at IS"
                        + " NULL THEN NULL ELSE created_at END WHERE consumer_group = ? AND event_id = ?",
                group,
                event.eventId());
    }

    /** Counts what it is told, by name. */
    static final class RecordingMetrics implements ConsumeMetrics {

        private final Map<String, Integer> counts = new HashMap<>();

        synchronized int count(String name) {
            return counts.getOrDefault(name, 0);
        }

        private synchronized void add(String name) {
            counts.merge(name, 1, Integer::sum);
            notifyAll();
        }

        /** Waits until something has happened so often. */
        synchronized void await(String name, int count) throws InterruptedException {
            while (count(name) < count) {
                wait();
            }
        }

        @Override
        public void incrementAcquired(String consumerGroup) {
            add("acquired");
        }

        @Override
        public void incrementReplayed(String consumerGroup) {
            add("replayed");
        }

        @Override
        public void incrementInProgress(String consumerGroup) {
            add("inProgress");
        }

        @Override
        public void incrementFailed(String consumerGroup) {
            add("failed");
        }

        @Override
        public void incrementExhausted(String consumerGroup) {
            add("exhausted");
        }

        @Override
        public void incrementLeaseLost(String consumerGroup) {
            add("leaseLost");
        }

        @Override
        public void recordHandlerLatency(String consumerGroup, Duration latency) {
            add("latency");
        }
    }
}
