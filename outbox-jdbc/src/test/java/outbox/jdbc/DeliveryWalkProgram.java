package outbox.jdbc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.data.ExecutionDataReader;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.WakeUpSource;

/**
 * Delivers events, one at a time, and prints the source files that every delivery passes. Runs under JaCoCo's agent, which tells what has run since
 * it was last asked.
 */
final class DeliveryWalkProgram implements AutoCloseable {

    private static final int WARM_UP = 5;
    private static final int DELIVERIES = 10;
    private static final int DONE = 1;

    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:walk;DB_CLOSE_DELAY=-1", "sa", "");
    private final Connection bare = pool.getConnection();
    private final JdbcTransactionManager transactions;
    private final AtomicReference<Runnable> poll = new AtomicReference<>();
    private final Outbox outbox;
    private final OutboxWriter writer;
    private int events;

    private DeliveryWalkProgram() throws SQLException {
        OutboxSchema.create(bare, "h2", TableName.DEFAULT);
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        transactions = new JdbcTransactionManager(new DataSourceConnectionProvider(pool), txContext);
        outbox = JdbcOutbox.builder(pool, txContext)
                .claimLocking(Duration.ofMinutes(30))
                .listener("Order", "OrderPlaced", event -> {})
                // Polls only when it is told to.
                .poller(poller ->
                        poller.intervalMs(Duration.ofHours(1).toMillis()).wakeUpSource(pollOnDemand()))
                .build();
        writer = outbox.writer();
    }

    private WakeUpSource pollOnDemand() {
        return new WakeUpSource() {
            @Override
            public void start(Runnable wakeUp) {
                poll.set(wakeUp);
            }

            @Override
            public void close() {}
        };
    }

    public static void main(String[] args) throws Exception {
        try (DeliveryWalkProgram program = new DeliveryWalkProgram()) {
            program.outbox.start();
            System.out.println("hot " + String.join(" ", filesOfEach(program::writeAndCommit)));
            System.out.println("cold " + String.join(" ", filesOfEach(program::insertByOthersAndPoll)));
        }
    }

    private interface Delivery {
        void run() throws Exception;
    }

    /** What runs beside some of the deliveries, such as a heartbeat, does not run in all of them. */
    private static SortedSet<String> filesOfEach(Delivery delivery) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            delivery.run();
        }
        SortedSet<String> inAll = filesOf(delivery);
        for (int i = 1; i < DELIVERIES; i++) {
            inAll.retainAll(filesOf(delivery));
        }
        return inAll;
    }

    private static SortedSet<String> filesOf(Delivery delivery) throws Exception {
        filesUntilQuiet();
        delivery.run();
        return filesUntilQuiet();
    }

    /** An event is DONE before its worker has come to rest. */
    private static SortedSet<String> filesUntilQuiet() throws Exception {
        SortedSet<String> files = new TreeSet<>();
        int quietLooks = 0;
        while (quietLooks < 2) {
            Thread.sleep(5);
            quietLooks = addFilesSinceLast(files) ? 0 : quietLooks + 1;
        }
        return files;
    }

    private static boolean addFilesSinceLast(SortedSet<String> files) throws IOException {
        boolean[] some = new boolean[1];
        byte[] data = RT.getAgent().getExecutionData(true);
        ExecutionDataReader reader = new ExecutionDataReader(new ByteArrayInputStream(data));
        reader.setSessionInfoVisitor(session -> {});
        reader.setExecutionDataVisitor(type -> {
            if (type.hasHits()) {
                some[0] = true;
                files.add(type.getName().replaceAll("\\$.*", "").replace('/', '.'));
            }
        });
        reader.read();
        return some[0];
    }

    private void writeAndCommit() throws Exception {
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
        try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
            writer.write(event);
            transaction.commit();
        }
        awaitDone(event.eventId());
    }

    private void insertByOthersAndPoll() throws Exception {
        String id = "cold" + ++events;
        execute(
                "INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts,"
                        + " available_at, created_at) VALUES ('" + id + "', 'OrderPlaced', 'Order', '1', '{}', 0, 0,"
                        + " TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 00:00:00')");
        poll.get().run();
        awaitDone(id);
    }

    private void execute(String sql) throws SQLException {
        try (var statement = bare.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Without the library, of which nothing else must run. */
    private void awaitDone(String eventId) throws Exception {
        try (var statement = bare.prepareStatement("SELECT status FROM outbox_event WHERE event_id = ?")) {
            statement.setString(1, eventId);
            while (true) {
                try (var rows = statement.executeQuery()) {
                    if (rows.next() && rows.getInt(1) == DONE) {
                        return;
                    }
                }
                Thread.sleep(1);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        outbox.close();
        bare.close();
        pool.dispose();
    }
}
