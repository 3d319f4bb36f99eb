package outbox.proof.node;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.proof.process.Accounts;
import outbox.proof.process.Script;

/** Writes an event that will die and hold its account, and thousands behind it. */
final class Backlog implements Runnable {

    private static final int FOLLOWERS = 2_500;
    private static final int IN_A_TRANSACTION = 50;
    private static final long PAUSE_MILLIS = 20;

    private final JdbcTransactionManager transactions;
    private final ProvenOutbox outbox;
    private final Random random;
    private final BooleanSupplier enough;
    private final Bookings bookings;
    private final String account;

    Backlog(JdbcTransactionManager transactions, ProvenOutbox outbox, Random random, BooleanSupplier enough) {
        this.transactions = transactions;
        this.outbox = outbox;
        this.random = random;
        this.enough = enough;
        this.bookings = new Bookings(random);
        this.account = Accounts.randomHeld(random);
    }

    @Override
    public void run() {
        try {
            int written = write(List.of(Script.headOfBacklog(random)));
            int all = written == 0 ? 0 : FOLLOWERS;
            while (written < all && !enough.getAsBoolean()) {
                Thread.sleep(PAUSE_MILLIS); // the others write as well
                written += write(Stream.generate(() -> Script.followerInBacklog(random))
                        .limit(IN_A_TRANSACTION)
                        .toList());
            }
            System.err.println("Wrote " + written + " events of account " + account + ", the first of which dies");
        } catch (InterruptedException e) {
            System.err.println("Nobody waits for the rest of the backlog");
        }
    }

    /** How many were written, as far as is known. */
    private int write(List<Script> scripts) {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            long n = Bookings.lock(tx.connection(), account);
            List<Bookings.Entry> entries = scripts.stream()
                    .map(script -> new Load.Draft(script, script.shortPayload(), Duration.ZERO))
                    .map(draft -> new Bookings.Entry(account, draft))
                    .toList();
            bookings.write(tx.connection(), outbox, n, entries);
            tx.commit();
            return entries.size();
        } catch (SQLException | RuntimeException | Error e) {
            System.err.println("Transaction of a backlog failed: " + e);
            return 0;
        }
    }
}
