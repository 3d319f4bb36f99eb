package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.Acquisition;
import outbox.inbox.BatchAcquireResult;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeResult;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.MarkConsumeFailedCommand;
import outbox.inbox.MarkConsumeSuccessCommand;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/**
 * A consumer in a process of its own. Is told what to do through its standard input and answers on its standard output. Can be made to
 * stand still at any point between the arrival of an event and the return of the template, in order to be killed there.
 */
final class ConsumerProgram {

    static final String TYPE = "Ordered";

    private static final int THREADS = 4;

    /** The point at which the current thread is to stand still. */
    private static final ThreadLocal<Point> STANDSTILL = new ThreadLocal<>();

    /** How events are consumed. */
    enum Way {
        LEASE,
        TRANSACTION,
        BATCH;

        /** Whether a thread passes there. */
        boolean passes(Point point) {
            return point != Point.MARKED || this == LEASE;
        }

        /** The events that it consumes in one transaction. */
        List<EventEnvelope> events(String id) {
            return this == BATCH ? List.of(event(id), event(id + "-2"), event(id + "-3")) : List.of(event(id));
        }
    }

    /** Where a thread can be made to stand still. */
    enum Point {
        ACQUIRED,
        IN_HANDLER,
        HANDLED,
        MARKED,
        COMMITTED
    }

    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions;
    private final EventHandlerTemplate template;

    private ConsumerProgram(HikariDataSource pool) {
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(pool), context);
        EventDedupRepository repository = JdbcInbox.on(pool, context).repository();
        this.template = new DefaultEventHandlerTemplate(new Halting(repository), context, this::inTransaction);
    }

    static EventEnvelope event(String id) {
        return EventEnvelope.builder(TYPE).eventId(id).payloadJson("{}").build();
    }

    /** Runs a consumer; the arguments are the database's URL, user and password. */
    public static void main(String[] arguments) throws Exception {
        HikariDataSource pool = new TestedDatabase.Address(
                        arguments[0], arguments[1], arguments.length > 2 ? arguments[2] : "")
                .pool(12);
        ConsumerProgram consumer = new ConsumerProgram(pool);
        say("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            consumer.obey(order.split(" "));
        }
        System.exit(0);
    }

    private void obey(String[] order) throws Exception {
        switch (order[0]) {
            case "consume" -> consumeCopies(order[1], Acquisition.valueOf(order[2]), order[3], order[4]);
            case "stand" -> standStill(order[1], Way.valueOf(order[2]), Point.valueOf(order[3]), order[4]);
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        }
    }

    /** Consumes so many copies of each of so many events, in several threads. */
    private void consumeCopies(String group, Acquisition acquisition, String events, String copies) throws Exception {
        Map<ConsumeResult.Outcome, AtomicInteger> outcomes = new EnumMap<>(ConsumeResult.Outcome.class);
        for (ConsumeResult.Outcome outcome : ConsumeResult.Outcome.values()) {
            outcomes.put(outcome, new AtomicInteger());
        }
        AtomicInteger next = new AtomicInteger();
        int total = Integer.parseInt(events) * Integer.parseInt(copies);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            running.add(threads.submit(() -> {
                for (int copy = next.getAndIncrement(); copy < total; copy = next.getAndIncrement()) {
                    EventEnvelope event = event("e" + copy / Integer.parseInt(copies));
                    outcomes.get(consume(group, event, acquisition).outcome()).incrementAndGet();
                }
                return null;
            }));
        }
        for (Future<?> thread : running) {
            thread.get();
        }
        threads.shutdown();
        say("consumed " + outcomes.get(ConsumeResult.Outcome.HANDLED));
    }

    private void standStill(String group, Way way, Point point, String eventId) {
        Thread thread = new Thread(() -> {
            STANDSTILL.set(point);
            if (way == Way.BATCH) {
                consumeBatch(group, way.events(eventId));
            } else {
                consume(group, event(eventId), Acquisition.valueOf(way.name()));
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private ConsumeResult consume(String group, EventEnvelope event, Acquisition acquisition) {
        return template.consume(
                group,
                event,
                taken -> {
                    Effects.add(context.currentConnection(), group, taken);
                    pass(Point.IN_HANDLER);
                },
                ConsumeOptions.defaults().withAcquisition(acquisition));
    }

    private void consumeBatch(String group, List<EventEnvelope> events) {
        template.consumeBatch(
                group,
                events,
                taken -> {
                    Effects.addAll(context.currentConnection(), group, taken);
                    pass(Point.IN_HANDLER);
                },
                ConsumeOptions.defaults());
    }

    private void inTransaction(Runnable work) {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            work.run();
            pass(Point.HANDLED);
            tx.commit();
            pass(Point.COMMITTED);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void pass(Point point) {
        if (STANDSTILL.get() == point) {
            say("at " + point);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    /** A repository at which the thread can stand still. */
    private final class Halting implements EventDedupRepository {

        private final EventDedupRepository target;

        private Halting(EventDedupRepository target) {
            this.target = target;
        }

        @Override
        public AcquireConsumeResult tryAcquire(AcquireConsumeCommand command) {
            AcquireConsumeResult result = target.tryAcquire(command);
            pass(Point.ACQUIRED);
            return result;
        }

        @Override
        public AcquireConsumeResult tryRecordSuccess(AcquireConsumeCommand command) {
            AcquireConsumeResult result = target.tryRecordSuccess(command);
            pass(Point.ACQUIRED);
            return result;
        }

        @Override
        public BatchAcquireResult tryRecordSuccesses(List<AcquireConsumeCommand> commands) {
            BatchAcquireResult result = target.tryRecordSuccesses(commands);
            pass(Point.ACQUIRED);
            return result;
        }

        @Override
        public Optional<ConsumeRecord> find(String consumerGroup, String eventId) {
            return target.find(consumerGroup, eventId);
        }

        @Override
        public boolean markSuccess(MarkConsumeSuccessCommand command) {
            pass(Point.MARKED);
            return target.markSuccess(command);
        }

        @Override
        public boolean markFailed(MarkConsumeFailedCommand command) {
            return target.markFailed(command);
        }
    }
}
