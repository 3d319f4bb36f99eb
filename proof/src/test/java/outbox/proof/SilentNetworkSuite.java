package outbox.proof;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.jdbc.wakeup.PostgresWakeUps;
import outbox.proof.database.DatabaseKind;
import outbox.proof.proxy.FaultyProxy;
import outbox.testservers.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A network that swallows everything and tells nobody: no packet comes through, no connection ends. */
@Timeout(180)
abstract class SilentNetworkSuite extends NetworkSuite {

    private static final long DRAIN_MS = 500;
    /** What the documentation says: the drain timeout and twenty-five seconds. */
    private static final Duration CLOSES_WITHIN = Duration.ofMillis(DRAIN_MS).plusSeconds(25);

    private final CountDownLatch firstDelivered = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    @Test
    void a_close_ends_in_time_and_its_threads_when_the_connections_do() throws Exception {
        TestDatabase database = newDatabase();
        ExecutorService closer = Executors.newSingleThreadExecutor();
        try (FaultyProxy proxy = FaultyProxy.to(database.port());
                FaultyProxy proxyOfLock = FaultyProxy.to(database.port());
                HikariDataSource pool = spoilt(database, proxy.port());
                HikariDataSource lockPool = spoilt(database, proxyOfLock.port())) {
            ThreadLocalTxContext context = new ThreadLocalTxContext();
            JdbcTransactionManager transactions = new JdbcTransactionManager(pool::getConnection, context);
            Outbox outbox = outbox(pool, lockPool, context);
            outbox.start();
            write(outbox, transactions, "first");
            assertThat(firstDelivered.await(60, TimeUnit.SECONDS)).isTrue();
            write(outbox, transactions, "running", "waiting", "queued");
            assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

            proxy.silence(true);
            proxyOfLock.silence(true);
            proxyOfLock.awaitUnheard(); // the check of the relay waits for an answer
            proxy.awaitUnheard(); // so does a poll, a renewal or a purge
            letGo.countDown();
            Future<?> closing = closer.submit(outbox::close);

            closing.get(CLOSES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            // Before the pools: MariaDB's driver cannot abort a connection while a thread waits for its answer.
            proxy.close();
            proxyOfLock.close();
        } finally {
            closer.shutdownNow();
        }
        assertThat(lastingThreads()).isEmpty();
    }

    private Outbox outbox(HikariDataSource pool, HikariDataSource lockPool, ThreadLocalTxContext context) {
        OutboxBuilder builder = JdbcOutbox.builder(pool, context)
                .listener("Told", this::hear)
                .claimLocking(Duration.ofSeconds(20))
                .ordered()
                .singleActive(JdbcRelayLocks.forTable(lockPool, TableName.DEFAULT))
                .dispatcher(settings -> settings.drainTimeoutMs(DRAIN_MS).workerCount(1))
                .poller(settings -> settings.intervalMs(100));
        if (database() == DatabaseKind.POSTGRESQL) {
            builder.poller(settings -> settings.wakeUpSource(new PostgresWakeUps(pool, TableName.DEFAULT)));
        }
        return builder.build();
    }

    private void hear(EventEnvelope event) throws InterruptedException {
        firstDelivered.countDown();
        if (event.eventId().equals("running")) {
            running.countDown();
            letGo.await();
        }
    }

    private static void write(Outbox outbox, JdbcTransactionManager transactions, String... ids) throws Exception {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            for (String id : ids) {
                outbox.writer()
                        .write(EventEnvelope.builder("Told")
                                .eventId(id)
                                .aggregateId("key")
                                .payloadJson("{}")
                                .build());
            }
            tx.commit();
        }
    }

    /** The connections have ended with the proxies. */
    private static List<Thread> lastingThreads() throws InterruptedException {
        for (Thread thread : outboxThreads()) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
        }
        return outboxThreads();
    }

    private static List<Thread> outboxThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .toList();
    }
}
