package outbox.proof.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.proof.process.Accounts;

/**
 * Writes one transaction after another until it is told that it is enough, in bursts at full speed with rests between them. Each locks its
 * account, which counts them; one in ten is rolled back. Does not ask what has become of a transaction that failed: the database knows.
 */
final class Producer implements Runnable {

    private static final int LONGEST_BURST = 400;

    private final JdbcTransactionManager transactions;
    private final List<ProvenOutbox> outboxes;
    private final Random random;
    private final Load load;
    private final AtomicLong rolledBack;
    private final Bookings bookings;
    private volatile boolean enough;

    Producer(
            JdbcTransactionManager transactions,
            List<ProvenOutbox> outboxes,
            Random random,
            Load load,
            AtomicLong rolledBack) {
        this.transactions = transactions;
        this.outboxes = outboxes;
        this.random = random;
        this.load = load;
        this.rolledBack = rolledBack;
        this.bookings = new Bookings(random);
    }

    void enough() {
        enough = true;
    }

    @Override
    public void run() {
        try {
            while (!enough) {
                long begin = System.nanoTime();
                int events = burst(1 + random.nextInt(LONGEST_BURST));
                rest(begin, events);
            }
        } catch (InterruptedException e) {
            // nobody waits for more
        }
    }

    /** So that there are as many events in a second as there shall be, on average. */
    private void rest(long begin, int events) throws InterruptedException {
        long end = begin + (long) (events / load.eventsPerSecond() * TimeUnit.SECONDS.toNanos(1));
        while (!enough && !load.isUrgent() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
    }

    private int burst(int most) throws InterruptedException {
        int written = 0;
        while (!enough && written < most) {
            try {
                written += writeTransaction();
            } catch (SQLException | RuntimeException | Error e) { // also what comes out of a log or a heap that is full
                System.err.println("Transaction failed: " + e);
                Thread.sleep(20); // a database that is away need not be asked without a pause
            }
        }
        return written;
    }

    private int writeTransaction() throws SQLException, InterruptedException {
        String account = Accounts.random(random);
        int events = load.transactionSize(random);
        boolean rollBack = random.nextInt(10) == 0;
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            long n = Bookings.lock(tx.connection(), account);
            dawdle();
            int written = 0;
            for (ProvenOutbox outbox : outboxes) {
                if (random.nextInt(6) < (outbox.isConsumed() ? 1 : 4)) { // several in one transaction, or none
                    write(tx.connection(), outbox, account, n, events);
                    written += events;
                }
            }
            dawdle();
            if (rollBack) {
                rolledBack.addAndGet(written);
            } else {
                tx.commit();
            }
            return written;
        }
    }

    private void write(Connection conn, ProvenOutbox outbox, String account, long n, int count) throws SQLException {
        List<Bookings.Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String owner = isNobodys(outbox) ? null : account;
            entries.add(new Bookings.Entry(owner, load.next(random, outbox, owner)));
        }
        bookings.write(conn, outbox, n, entries);
    }

    /** Now and then an event without an order comes between others. What goes to consumers has an account. */
    private boolean isNobodys(ProvenOutbox outbox) {
        return outbox.isOrdered() && !outbox.isConsumed() && random.nextInt(20) == 0;
    }

    /** Sometimes a transaction is open for longer, so that more can happen meanwhile. */
    private void dawdle() throws InterruptedException {
        if (random.nextInt(20) == 0) {
            Thread.sleep(random.nextInt(20));
        }
    }
}
