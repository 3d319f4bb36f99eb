package outbox.cluster.order;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import outbox.EventListener;
import outbox.OutboxWriter;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.DispatcherWriterHook;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;

/**
 * One node that writes and delivers in order, in a process of its own. Is told what to do through its standard input and answers each
 * order with a line on its standard output. Ends with its standard input.
 */
final class OrderNodeProgram implements AutoCloseable {

    private static final int PRODUCERS = 3;

    /** Often enough for the failures that a script knows together with the leases that run out in a run. */
    private static final int MAX_ATTEMPTS = 8;

    private static final long RETRY_MILLIS = 20;

    private final HikariDataSource pool;
    private final OutboxDispatcher dispatcher;
    private final OutboxPoller poller;
    private final Person person;
    private final List<Producer> producers = new ArrayList<>();
    private final List<Thread> producing = new ArrayList<>();

    private OrderNodeProgram(OrderSettings settings) throws IOException {
        log("starts");
        this.pool = pool(settings);
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
        OutboxStore store = JdbcOutboxStores.detect(pool);
        OrderJournal journal = new OrderJournal(settings.journal());
        ScriptedListener listener = new ScriptedListener(settings, journal);
        this.dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(Keys.CONTINUING_TYPE, Producer.TYPE, listener)
                        .register(Keys.HELD_TYPE, Producer.TYPE, EventListener.holdingKeyAfterDead(listener)))
                .ordering(Ordering.PER_AGGREGATE)
                .retryPolicy(attempts -> RETRY_MILLIS)
                .maxAttempts(MAX_ATTEMPTS)
                .drainTimeoutMs(20_000)
                .build();
        this.poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking(settings.lease())
                .intervalMs(100)
                .batchSize(200)
                .build();
        this.person = new Person(settings, journal, connections, store);
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections, context);
        OutboxWriter writer = new OutboxWriter(context, store, new DispatcherWriterHook(dispatcher));
        Random random = new Random(settings.seed() + settings.number());
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(new Producer(transactions, writer, new Random(random.nextLong())));
        }
        String node = settings.node(ProcessHandle.current().pid());
        Thread watch = new Thread(new StallWatch(journal, node, connections, settings), "stall watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static HikariDataSource pool(OrderSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.jdbcUrl());
        config.setUsername(settings.user());
        config.setPassword(settings.password());
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(5_000);
        config.setInitializationFailTimeout(30_000);
        return new HikariDataSource(config);
    }

    /** Runs a node; the arguments are those of {@link OrderSettings}. */
    public static void main(String[] arguments) throws Exception {
        OrderNodeProgram node = new OrderNodeProgram(OrderSettings.parse(arguments));
        node.poller.start();
        log("is ready");
        System.out.println("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals("stop")) {
                node.close();
                System.out.println("stopped " + Producer.FAILED.get());
                break;
            }
            node.obey(order.split(" "));
        }
        System.exit(0);
    }

    private void obey(String[] order) throws Exception {
        switch (order[0]) {
            case "produce" -> produce();
            case "enough" -> {
                endProducers();
                System.out.println("written");
            }
            case "act" -> System.out.println("acted " + order[1] + " " + person.act());
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        }
    }

    private void produce() {
        if (!producing.isEmpty()) {
            return;
        }
        for (Producer producer : producers) {
            producer.begin();
            Thread thread = new Thread(producer, "producer");
            producing.add(thread);
            thread.start();
        }
    }

    private void endProducers() throws InterruptedException {
        producers.forEach(Producer::enough);
        for (Thread thread : producing) {
            thread.join();
        }
        producing.clear();
    }

    private static void log(String what) {
        System.err.println(System.currentTimeMillis() + " The node " + what);
    }

    @Override
    public void close() throws InterruptedException {
        log("stops");
        endProducers();
        log("has ended its producers");
        poller.close();
        log("has closed its poller");
        dispatcher.close();
        log("has closed its dispatcher");
        pool.close();
    }
}
