package outbox.benchmarks.peer;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;

/**
 * Gruelbox transaction-outbox: a method call is written with the transaction, made after the commit by a thread of an executor,
 * and its row deleted; {@code flush()} in the background finds what was missed, once a minute in its documentation's example.
 */
final class GruelboxCandidate extends PeerCandidate {

    private static final int TUNED_THREADS = 8;
    private static final Duration DOCUMENTED_PAUSE = Duration.ofMinutes(1);
    private static final Duration TUNED_PAUSE = Duration.ofMillis(100);

    GruelboxCandidate(boolean usesDefaults) {
        super("gruelbox", usesDefaults);
    }

    @Override
    public String pendingQuery() {
        return "SELECT count(*) FROM txno_outbox WHERE processed = false";
    }

    /** The library creates its table when it is built. */
    @Override
    public void createTables(Scratch database) {
        try (Pool pool = database.openPool()) {
            builder(TransactionManager.fromDataSource(pool.dataSource()))
                    .submitter(GruelboxCandidate::ignore)
                    .build();
        }
    }

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) {
        Pool pool = database.openPool();
        TransactionManager transactions = TransactionManager.fromDataSource(pool.dataSource());
        TransactionOutbox.TransactionOutboxBuilder builder =
                builder(transactions).instantiator(Instantiator.using(type -> (GruelboxReceiver) deliveries::arrived));
        if (purpose == Purpose.WRITE || purpose == Purpose.BACKLOG) {
            // The frequency becomes the time at which the row falls due, if nobody runs it before; it must be in the
            // future.
            builder.submitter(GruelboxCandidate::ignore).attemptFrequency(GruelboxParticipant.DUE_AFTER);
            return new GruelboxParticipant(pool, transactions, builder.build(), null, null);
        }
        ExecutorService threads = usesDefaults() ? null : Executors.newFixedThreadPool(TUNED_THREADS);
        builder.submitter(threads == null ? Submitter.withDefaultExecutor() : Submitter.withExecutor(threads));
        Duration pause = usesDefaults() ? DOCUMENTED_PAUSE : TUNED_PAUSE;
        return new GruelboxParticipant(pool, transactions, builder.build(), threads, pause);
    }

    private static TransactionOutbox.TransactionOutboxBuilder builder(TransactionManager transactions) {
        return TransactionOutbox.builder()
                .transactionManager(transactions)
                .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9));
    }

    private static void ignore(@Nullable Object entry, @Nullable Object work) {}
}
