package outbox.cluster.order;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.tx.JdbcTransactionManager;

/** Writes one transaction after another until it is told that it is enough. Each locks its aggregate, which counts them. */
final class Producer implements Runnable {

    static final String TYPE = "Changed";

    private static final int LONGEST_REST_MILLIS = 8;

    /** Transactions that could not be committed, for instance because of a deadlock. */
    static final AtomicInteger FAILED = new AtomicInteger();

    private final JdbcTransactionManager transactions;
    private final OutboxWriter writer;
    private final Random random;
    private volatile boolean enough;

    Producer(JdbcTransactionManager transactions, OutboxWriter writer, Random random) {
        this.transactions = transactions;
        this.writer = writer;
        this.random = random;
    }

    void begin() {
        enough = false;
    }

    void enough() {
        enough = true;
    }

    @Override
    public void run() {
        while (!enough) {
            try {
                writeTransaction();
                Thread.sleep(random.nextInt(LONGEST_REST_MILLIS)); // the pace of the load
            } catch (SQLException | RuntimeException e) {
                FAILED.incrementAndGet();
                System.err.println("Transaction failed: " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void writeTransaction() throws SQLException, InterruptedException {
        String key = Keys.random(random);
        boolean rollBack = random.nextInt(10) == 0;
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            JdbcTemplate.update(tx.connection(), "UPDATE account SET n = n + 1 WHERE id = ?", key);
            long n = JdbcTemplate.query(
                            tx.connection(), "SELECT n FROM account WHERE id = ?", row -> row.getLong(1), key)
                    .get(0);
            dawdle();
            write(tx.connection(), scripts(key, n));
            dawdle();
            if (!rollBack) {
                tx.commit();
            }
        }
    }

    /** One event, sometimes some more, sometimes one without a key among them. */
    private List<Script> scripts(String key, long n) {
        int count = random.nextInt(5) == 0 ? 2 + random.nextInt(2) : 1;
        List<Script> scripts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scripts.add(Script.random(key, n, i, random));
        }
        if (random.nextInt(20) == 0) {
            scripts.add(random.nextInt(count + 1), Script.random(null, 0, 0, random));
        }
        return scripts;
    }

    /** In one call or in several, which must make no difference. */
    private void write(Connection conn, List<Script> scripts) throws SQLException {
        List<EventEnvelope> events = scripts.stream().map(Producer::event).toList();
        for (int i = 0; i < events.size(); i++) {
            Script script = scripts.get(i);
            JdbcTemplate.update(
                    conn,
                    "INSERT INTO business (event_id, account, n, place, fate) VALUES (?, ?, ?, ?, ?)",
                    events.get(i).eventId(),
                    script.key(),
                    script.n(),
                    script.index(),
                    script.fate().name());
        }
        if (random.nextBoolean()) {
            writer.writeAll(events);
        } else {
            events.forEach(writer::write);
        }
    }

    private static EventEnvelope event(Script script) {
        return EventEnvelope.builder(TYPE)
                .aggregateType(Keys.aggregateType(script.key()))
                .aggregateId(script.key())
                .payloadJson(script.toJson())
                .build();
    }

    /** Sometimes a transaction is open for longer, so that more can happen meanwhile. */
    private void dawdle() throws InterruptedException {
        if (random.nextInt(20) == 0) {
            Thread.sleep(random.nextInt(20));
        }
    }
}
