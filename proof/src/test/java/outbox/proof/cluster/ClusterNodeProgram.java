package outbox.proof.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.proof.history.Delivery;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.process.Script;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;

/**
 * One node of a cluster, in a process of its own. Is told what to do through its standard input, answers each order with a line on its
 * standard output, and writes every delivery into a journal before the listener returns. Ends with its standard input.
 */
final class ClusterNodeProgram implements AutoCloseable {

    /** Events of this type wait in the listener until the order to go on, or until the process dies. */
    static final String SLOW = "Slow";

    /** Events of this type end the process in the middle of the listener. */
    static final String POISON = "Poison";

    static final String NORMAL = "Normal";

    private static final int WRITERS = 2;

    private final HikariDataSource pool;
    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final Clock clock;
    private final DeliveryJournal deliveries;
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger tooLate = new AtomicInteger();
    private final AtomicInteger leftToWrite = new AtomicInteger();

    private ClusterNodeProgram(ClusterNodeSettings settings) throws IOException {
        this.pool = pool(settings);
        this.clock = Clock.offset(Clock.systemUTC(), settings.clockOffset());
        this.deliveries = new DeliveryJournal(settings.deliveries());
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        OutboxStore store = JdbcOutboxStores.detect(pool);
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(NORMAL, this::record)
                        .register(SLOW, this::recordSlowly)
                        .register(POISON, event -> Runtime.getRuntime().halt(1)))
                .maxAttempts(3)
                .drainTimeoutMs(20_000)
                .clock(clock)
                .metrics(new MetricsExporter.Noop() {
                    @Override
                    public void incrementOutcomeTooLate() {
                        tooLate.incrementAndGet();
                    }
                })
                .build();
        OutboxPoller.Builder polling = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(settings.lease())
                .intervalMs(100)
                .batchSize(200)
                .clock(clock);
        if (settings.singleActive()) {
            polling.singleActive(
                    new RecordedRelayLock(JdbcRelayLocks.forTable(pool, TableName.DEFAULT), settings.activity()));
        }
        this.poller = polling.build();
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        this.transactions = new JdbcTransactionManager(connections, context);
        this.writer = new OutboxWriter(context, store, new DispatcherWriterHook(dispatcher));
    }

    private static HikariDataSource pool(ClusterNodeSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.database().jdbcUrl());
        config.setUsername(settings.database().user());
        config.setPassword(settings.database().password());
        config.setMaximumPoolSize(6);
        config.setConnectionTimeout(5_000);
        config.setInitializationFailTimeout(30_000);
        return new HikariDataSource(config);
    }

    /** Runs a node; the arguments are those of {@link ClusterNodeSettings}. */
    public static void main(String[] arguments) throws Exception {
        ClusterNodeProgram node = new ClusterNodeProgram(ClusterNodeSettings.parse(arguments));
        node.poller.start();
        say("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals("stop")) {
                node.close();
                say("stopped");
                break;
            }
            node.obey(order.split(" "));
        }
        System.exit(0);
    }

    private void obey(String[] order) throws Exception {
        switch (order[0]) {
            case "write" -> {
                leftToWrite.set(Integer.parseInt(order[1])); // before an order that it is enough can come
                new Thread(() -> write(Integer.parseInt(order[2]))).start();
            }
            case "enough" -> leftToWrite.set(0);
            case "one" -> {
                say("wrote " + writeTransaction(order[1], 1).get(0));
            }
            case "poisoned" -> {
                int normal = Integer.parseInt(order[1]);
                writeTransaction(IntStream.rangeClosed(0, normal)
                        .mapToObj(i -> i == normal / 2 ? POISON : NORMAL)
                        .toList());
                say("wrote");
            }
            case "go-on" -> goOn.countDown();
            case "too-late" -> say("too-late " + tooLate.get());
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        }
    }

    /** Writes until all are committed, or it is enough; a transaction that fails is rolled back and written anew. */
    private void write(int perTransaction) {
        List<Thread> writers = IntStream.range(0, WRITERS)
                .mapToObj(i -> new Thread(() -> {
                    while (leftToWrite.addAndGet(-perTransaction) >= 0) {
                        writeWhateverItTakes(perTransaction);
                    }
                }))
                .toList();
        writers.forEach(Thread::start);
        writers.forEach(ClusterNodeProgram::join);
        say("written");
    }

    private void writeWhateverItTakes(int events) {
        while (true) {
            try {
                writeTransaction(NORMAL, events);
                return;
            } catch (SQLException | RuntimeException e) {
                System.err.println("Transaction failed, written anew: " + e);
            }
        }
    }

    private List<String> writeTransaction(String type, int events) throws SQLException {
        return writeTransaction(Collections.nCopies(events, type));
    }

    private List<String> writeTransaction(List<String> types) throws SQLException {
        List<EventEnvelope> batch = types.stream()
                .map(type -> EventEnvelope.builder(type)
                        .payloadJson(Cluster.PAYLOAD)
                        .occurredAt(clock.instant())
                        .build())
                .toList();
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            JdbcTemplate.update(
                    tx.connection(),
                    "INSERT INTO business (event_id) VALUES (?)" + ", (?)".repeat(types.size() - 1),
                    batch.stream().map(EventEnvelope::eventId).toArray());
            List<String> ids = writer.writeAll(batch);
            tx.commit();
            return ids;
        }
    }

    private void record(EventEnvelope event) throws IOException {
        deliveries.begin(Cluster.OUTBOX, event.eventId());
        end(event);
    }

    private void recordSlowly(EventEnvelope event) throws IOException, InterruptedException {
        deliveries.begin(Cluster.OUTBOX, event.eventId());
        say("in-listener " + event.eventId());
        goOn.await();
        end(event);
    }

    private void end(EventEnvelope event) throws IOException {
        deliveries.end(Cluster.OUTBOX, event.eventId(), Delivery.Result.OK, Script.sum(event.payloadJson()));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    @Override
    public void close() {
        poller.close();
        dispatcher.close();
        pool.close();
    }
}
