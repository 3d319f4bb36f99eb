package outbox.proof.node;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import outbox.EventListener;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.proof.history.DeliveryJournal;
import outbox.proof.process.Orders;
import outbox.proof.process.ProcessPool;
import outbox.proof.process.ScriptPlayer;
import outbox.proof.process.ThrowingLog;
import outbox.proof.process.Trouble;
import outbox.proof.process.Vitals;

/** One node, in a process of its own: producers and outboxes. */
public final class NodeProgram {

    private static final int PRODUCERS = 3;

    private static final int LONG_TRANSACTIONS = 3;

    /** One for each producer, each long transaction, a backlog, and the watch. */
    private static final int BUSINESS_CONNECTIONS = PRODUCERS + LONG_TRANSACTIONS + 2;

    private static final int OUTBOX_CONNECTIONS = 12;

    /** A thread that has done its work may take a moment to end. */
    private static final long LAST_MILLIS = 1_000;

    private final NodeSettings settings;
    private final ProcessPool pool;
    private final SteppedClock clock = new SteppedClock();
    private final Trouble trouble;
    private final List<ProvenOutbox> outboxes = new ArrayList<>();
    private final List<Producer> producers = new ArrayList<>();
    private final List<Thread> producing = new ArrayList<>();
    private final Load load;
    private final JdbcTransactionManager transactions;
    private final Random random;
    private final AtomicLong rolledBack = new AtomicLong();
    private final Thread watch;
    private volatile boolean enough;

    private NodeProgram(NodeSettings settings, Orders orders) throws IOException {
        this.settings = settings;
        this.pool = new ProcessPool(settings.process(), orders);
        this.trouble = new Trouble(orders);
        ThrowingLog.on(orders);
        DataSource ofBusiness = pool.careful(BUSINESS_CONNECTIONS);
        DataSource ofOutboxes = pool.plain(OUTBOX_CONNECTIONS);
        DeliveryJournal journal = new DeliveryJournal(settings.process().journal());
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        for (String table : settings.outboxes().keySet()) {
            Journaled journaled = Journaled.of(table, journal, work(table));
            outboxes.add(new ProvenOutbox(table, settings, ofOutboxes, context, clock, journaled));
        }
        this.transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(ofBusiness), context);
        this.random = new Random(settings.seed());
        this.load = new Load((double) settings.eventsPerSecond() / PRODUCERS, orders);
        trouble.hangWhile(load::holdsUpListeners);
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(new Producer(transactions, outboxes, new Random(random.nextLong()), load, rolledBack));
        }
        this.watch = start("stall watch", new StallWatch(ofBusiness, settings, journal));
        orders.on("produce", none -> producers.forEach(producer -> producing.add(start("producer", producer))))
                .on("long-transactions", time -> beginLongTransactions(Orders.millis(time)))
                .on("write-backlog", none -> beginBacklog())
                .on("enough", none -> {
                    endProducers();
                    Orders.say("written " + rolledBack.get());
                })
                .on("clock", time -> clock.stepTo(Orders.millis(time)))
                .on("sample", none -> Orders.say("sample " + Vitals.of(pool, inFlight())))
                .on("stop", none -> {
                    stop();
                    Orders.say("stopped " + leaks());
                });
    }

    private EventListener work(String table) {
        return settings.isConsumed(table)
                ? new Forwarder(table, settings.consumerPorts(), trouble)
                : new ScriptPlayer(settings.process(), trouble);
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Runs a node; the argument is a file of {@link NodeSettings}. */
    public static void main(String[] arguments) throws Exception {
        Orders orders = new Orders();
        new NodeProgram(NodeSettings.read(Path.of(arguments[0])), orders);
        orders.follow();
    }

    private void beginLongTransactions(Duration open) {
        for (int i = 0; i < LONG_TRANSACTIONS; i++) {
            producing.add(start(
                    "long transaction",
                    new LongTransaction(
                            transactions, outboxes, load, new Random(random.nextLong()), () -> enough, open)));
        }
    }

    private void beginBacklog() {
        outboxes.stream()
                .filter(outbox -> outbox.holdsKeys() && !outbox.isConsumed())
                .map(outbox -> new Backlog(transactions, outbox, new Random(random.nextLong()), () -> enough))
                .forEach(backlog -> producing.add(start("backlog", backlog)));
    }

    private void endProducers() throws InterruptedException {
        System.err.println(load.told());
        enough = true;
        producers.forEach(Producer::enough);
        for (Thread thread : producing) {
            thread.join();
        }
    }

    private int inFlight() {
        return outboxes.stream().mapToInt(ProvenOutbox::inFlight).sum();
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
        if (inFlight() > 0) {
            leaks.add("in-flight:" + inFlight());
        }
        if (pool.taken() > 0) {
            leaks.add("connections:" + pool.taken());
        }
        return String.join(",", leaks);
    }

    private void stop() throws InterruptedException {
        endProducers();
        outboxes.forEach(ProvenOutbox::close);
        pool.awaitRelief();
        watch.interrupt();
        watch.join();
    }
}
