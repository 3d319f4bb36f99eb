package outbox.proof.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.proof.history.DeliveryJournal;

/**
 * One node, in a process of its own. Is told what to do through its standard input and answers on its standard output. Ends with its
 * standard input.
 */
public final class NodeProgram {

    private static final int PRODUCERS = 3;
    private static final int POOL_SIZE = 12;

    /** A thread that has done its work may take a moment to end. */
    private static final long LAST_MILLIS = 1_000;

    private final HikariDataSource pool;
    private final SteppedClock clock = new SteppedClock();
    private final Trouble trouble = new Trouble();
    private final List<ProvenOutbox> outboxes = new ArrayList<>();
    private final List<Producer> producers = new ArrayList<>();
    private final List<Thread> producing = new ArrayList<>();
    private final List<Thread> exhausting = new ArrayList<>();
    private final AtomicLong rolledBack = new AtomicLong();
    private final Thread watch;

    private NodeProgram(NodeSettings settings) throws IOException {
        this.pool = pool(settings);
        DeliveryJournal journal = new DeliveryJournal(settings.journal());
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        for (String table : settings.outboxes().keySet()) {
            ScriptedListener listener = new ScriptedListener(table, settings, journal, trouble);
            outboxes.add(new ProvenOutbox(table, settings, pool, context, clock, listener));
        }
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(pool), context);
        Random random = new Random(settings.seed());
        double rate = (double) settings.eventsPerSecond() / PRODUCERS;
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(new Producer(transactions, outboxes, new Random(random.nextLong()), rate, rolledBack));
        }
        this.watch = start("stall watch", new StallWatch(pool, settings, journal));
    }

    private static HikariDataSource pool(NodeSettings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.database().jdbcUrl());
        config.setUsername(settings.database().user());
        config.setPassword(settings.database().password());
        config.setConnectionInitSql(settings.sessionSettings());
        config.setMaximumPoolSize(POOL_SIZE);
        config.setConnectionTimeout(2_000);
        config.setValidationTimeout(1_000);
        config.setInitializationFailTimeout(60_000);
        return new HikariDataSource(config);
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Runs a node; the argument is a file of {@link NodeSettings}. */
    public static void main(String[] arguments) throws Exception {
        NodeProgram node = new NodeProgram(NodeSettings.read(Path.of(arguments[0])));
        say("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            if (order.equals("stop")) {
                node.stop();
                say("stopped " + node.leaks());
                break;
            }
            node.obey(order.split(" "));
        }
        System.exit(0);
    }

    private void obey(String[] order) throws InterruptedException {
        switch (order[0]) {
            case "produce" -> producers.forEach(producer -> producing.add(start("producer", producer)));
            case "enough" -> {
                endProducers();
                say("written " + rolledBack.get());
            }
            case "throw" -> trouble.begin(Trouble.Kind.THROW, millis(order));
            case "hang" -> trouble.begin(Trouble.Kind.HANG, millis(order));
            case "out-of-memory" -> trouble.begin(Trouble.Kind.RUN_OUT_OF_MEMORY, millis(order));
            case "slow" -> trouble.slowNext(millis(order));
            case "clock" -> clock.stepTo(millis(order));
            case "exhaust" -> exhausting.add(start("exhaust", () -> exhaustPool(millis(order))));
            case "sample" -> say("sample " + sample());
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        }
    }

    private static Duration millis(String[] order) {
        return Duration.ofMillis(Long.parseLong(order[1]));
    }

    private void endProducers() throws InterruptedException {
        producers.forEach(Producer::enough);
        join(producing);
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Takes all connections there are, and keeps them for a while. */
    private void exhaustPool(Duration time) {
        List<Connection> taken = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        try {
            while (taken.size() < POOL_SIZE && System.nanoTime() < end) {
                taken.add(pool.getConnection());
            }
            Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
        } catch (SQLException | InterruptedException e) {
            System.err.println("The pool has no more connections: " + e);
        }
        for (Connection connection : taken) {
            try {
                connection.close();
            } catch (SQLException e) {
                System.err.println("Given back: " + e);
            }
        }
    }

    /** What does not grow: memory after a collection, threads, connections, events in flight. */
    private String sample() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long kilobytes = (runtime.totalMemory() - runtime.freeMemory()) / 1024;
        int inFlight = outboxes.stream().mapToInt(ProvenOutbox::inFlight).sum();
        return kilobytes + " " + Thread.activeCount() + " "
                + pool.getHikariPoolMXBean().getTotalConnections() + " " + inFlight;
    }

    /** What should have been given back when everything was closed, in words without spaces; nothing if all was. */
    private String leaks() throws InterruptedException {
        List<String> leaks = new ArrayList<>();
        List<Thread> left = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .toList();
        for (Thread thread : left) {
            thread.join(LAST_MILLIS);
            if (thread.isAlive()) {
                leaks.add("thread:" + thread.getName().replace(' ', '-'));
            }
        }
        int inFlight = outboxes.stream().mapToInt(ProvenOutbox::inFlight).sum();
        if (inFlight > 0) {
            leaks.add("in-flight:" + inFlight);
        }
        int connections = pool.getHikariPoolMXBean().getActiveConnections();
        if (connections > 0) {
            leaks.add("connections:" + connections);
        }
        return String.join(",", leaks);
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    private void stop() throws InterruptedException {
        endProducers();
        outboxes.forEach(ProvenOutbox::close);
        join(exhausting);
        watch.interrupt();
        watch.join();
    }
}
