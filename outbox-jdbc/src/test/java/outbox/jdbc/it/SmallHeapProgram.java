package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/**
 * An application whose events take more memory than it has. Backlog: half of them wait in the table when it starts, the others it writes itself
 * while no listener gets on. Burst: half of them are small and have been delivered when the large ones are committed all at once.
 */
final class SmallHeapProgram {

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final int SMALL_AT_ONCE = 5;
    private static final String LARGE = "\"" + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES - 2) + "\"";

    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final HikariDataSource pool;
    private final TableName table;
    private final int events;
    private final Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
    private final CountDownLatch go = new CountDownLatch(1);

    private SmallHeapProgram(HikariDataSource pool, TableName table, int events) {
        this.pool = pool;
        this.table = table;
        this.events = events;
    }

    /** URL, user, password, table, number of events, scene. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(8);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            SmallHeapProgram program = new SmallHeapProgram(pool, TableName.of(args[3]), Integer.parseInt(args[4]));
            if (args[5].equals("burst")) {
                program.burst();
            } else {
                program.backlog();
            }
        }
    }

    private void backlog() throws Exception {
        try (Outbox writer = writer()) {
            write(writer, events / 2);
        }
        try (Outbox outbox = outbox(Duration.ofSeconds(20))) {
            outbox.start();
            write(outbox, events - events / 2);
            OUT.println("written");
            go.countDown();
            OUT.println("done " + awaitDone(events));
        }
        report();
    }

    private void burst() throws Exception {
        try (Outbox writer = writer();
                Outbox outbox = outbox(Duration.ofHours(1))) {
            go.countDown();
            outbox.start();
            // In many polls, after which large rows are no longer expected.
            for (int done = 0; done < events / 2; done += SMALL_AT_ONCE) {
                writeTogether(writer, SMALL_AT_ONCE, "{}");
                awaitDone(done + SMALL_AT_ONCE);
            }
            writeTogether(writer, events - events / 2, LARGE);
            OUT.println("written");
            OUT.println("done " + awaitDone(events));
        }
        report();
    }

    private Outbox writer() {
        return JdbcOutbox.builder(pool, context, table).writerOnly().build();
    }

    private Outbox outbox(Duration lease) {
        return JdbcOutbox.builder(pool, context, table)
                .claimLocking(lease)
                .withoutPurge()
                .defaultListener(this::deliver)
                .poller(poller -> poller.batchSize(500).intervalMs(100))
                .build();
    }

    private void report() {
        long repeated = deliveries.values().stream().filter(n -> n.get() > 1).count();
        OUT.println("delivered " + deliveries.size() + " repeated " + repeated);
    }

    private void deliver(EventEnvelope event) throws InterruptedException {
        go.await();
        deliveries.computeIfAbsent(event.eventId(), id -> new AtomicInteger()).incrementAndGet();
    }

    private void write(Outbox outbox, int count) throws Exception {
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(pool), context);
        for (int i = 0; i < count; i++) {
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                // A text of its own for each event, as it would be in life.
                outbox.writer().write("Large", new String(LARGE.toCharArray()));
                tx.commit();
            }
        }
    }

    private void writeTogether(Outbox outbox, int count, String payload) throws Exception {
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(pool), context);
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            for (int i = 0; i < count; i++) {
                outbox.writer().write("Large", payload);
            }
            tx.commit();
        }
    }

    /** The table is asked, not the memory: only it tells what a restart would find. */
    private long awaitDone(int wanted) throws Exception {
        String done = "SELECT count(*) FROM " + table + " WHERE status = 1";
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        long count = 0;
        while (count < wanted && System.nanoTime() < deadline) {
            try (Connection conn = pool.getConnection()) {
                count = JdbcTemplate.query(conn, done, row -> row.getLong(1)).get(0);
            }
            TimeUnit.MILLISECONDS.sleep(20); // the database has no signal for it
        }
        return count;
    }
}
