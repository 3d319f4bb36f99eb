package outbox.benchmarks.peer;

import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.ThreadEnd;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.report.Progress;

/** transaction-outbox with its executor and the background thread that its documentation asks for. */
final class GruelboxParticipant implements Participant {

    /** When rows that were only written fall due. */
    static final Duration DUE_AFTER = Duration.ofMillis(500);

    private final Pool pool;
    private final TransactionManager transactions;
    private final TransactionOutbox outbox;
    private final @Nullable ExecutorService threads;
    private final @Nullable Duration flushPause;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread flusher;

    /** @param flushPause null if nothing is to be delivered */
    GruelboxParticipant(
            Pool pool,
            TransactionManager transactions,
            TransactionOutbox outbox,
            @Nullable ExecutorService threads,
            @Nullable Duration flushPause) {
        this.pool = pool;
        this.transactions = transactions;
        this.outbox = outbox;
        this.threads = threads;
        this.flushPause = flushPause;
    }

    @Override
    public void write(List<BenchEvent> events) throws Exception {
        transactions.inTransactionThrows(tx -> {
            Business.insert(tx.connection(), events.get(0));
            for (BenchEvent event : events) {
                outbox.schedule(GruelboxReceiver.class).receive(event.payload());
            }
        });
    }

    @Override
    public void start() {
        if (flushPause != null) {
            flusher = new Thread(() -> flush(flushPause), "gruelbox-flush");
            flusher.start();
        }
    }

    private void flush(Duration pause) {
        try {
            do {
                while (outbox.flush() && closing.getCount() > 0) {
                    Thread.onSpinWait();
                }
            } while (!closing.await(pause.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            Progress.problem("gruelbox flush failed", e);
        }
    }

    @Override
    public void close() {
        closing.countDown();
        ThreadEnd.await(flusher);
        if (threads != null) {
            threads.shutdownNow();
        }
        if (flushPause == null) {
            // Whoever drains next finds everything due.
            LockSupport.parkNanos(DUE_AFTER.toNanos());
        }
        pool.close();
    }
}
