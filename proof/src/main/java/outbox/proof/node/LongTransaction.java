package outbox.proof.node;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.proof.process.Accounts;

/** Writes to all outboxes and commits a long time later, when the leases that its events were written with have run out. */
final class LongTransaction implements Runnable {

    private static final int MOST_EVENTS = 20;
    private static final long LOOK_MILLIS = 20;

    private final JdbcTransactionManager transactions;
    private final List<ProvenOutbox> outboxes;
    private final Load load;
    private final Random random;
    private final BooleanSupplier enough;
    private final long commitAt;

    /**
     * Stays open for that time from now on.
     *
     * @param enough when to commit earlier
     */
    LongTransaction(
            JdbcTransactionManager transactions,
            List<ProvenOutbox> outboxes,
            Load load,
            Random random,
            BooleanSupplier enough,
            Duration open) {
        this.transactions = transactions;
        this.outboxes = outboxes;
        this.load = load;
        this.random = random;
        this.enough = enough;
        this.commitAt = System.nanoTime() + open.toNanos();
    }

    @Override
    public void run() {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            String account = Accounts.of(random.nextInt());
            long n = Bookings.lock(tx.connection(), account);
            for (ProvenOutbox outbox : outboxes) {
                int events = 1 + random.nextInt(MOST_EVENTS);
                List<Bookings.Entry> entries = Stream.generate(
                                () -> new Bookings.Entry(account, load.next(random, outbox, account)))
                        .limit(events)
                        .toList();
                new Bookings(random).write(tx.connection(), outbox, n, entries);
            }
            while (commitAt - System.nanoTime() > 0 && !enough.getAsBoolean()) {
                Thread.sleep(LOOK_MILLIS);
            }
            tx.commit();
        } catch (SQLException | InterruptedException | RuntimeException | Error e) {
            System.err.println("Long transaction failed: " + e);
        }
    }
}
