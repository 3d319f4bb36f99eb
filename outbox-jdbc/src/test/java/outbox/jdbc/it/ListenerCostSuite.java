package outbox.jdbc.it;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.Outcome;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;

/** Listeners that return stages or take batches cost the database what any other one costs: statements and commits for many events, not for each. */
@Timeout(120)
abstract class ListenerCostSuite {

    private static final TableName TABLE = TableName.of("listener_cost");
    private static final int EVENTS = 1_000;

    /** A claim takes a hundred and more, and an outcome shares its statement with those of a few milliseconds; a statement for each would be 1. */
    private static final double MOST_FOR_EACH = 0.15;

    /** Longer than usual, so that a busy machine makes no groups of a few. */
    private static final long LINGER_MS = 100;

    private CountDownLatch all = new CountDownLatch(EVENTS);

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.drop(database().pool(), TABLE);
        Tables.drop(database().pool(), TableName.of(TABLE + "_node"));
        Tables.drop(database().pool(), TableName.of(TABLE + "_pause"));
    }

    private void leaveBacklog() throws Exception {
        try (Outbox writer = JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .writerOnly()
                .build()) {
            List<EventEnvelope> events = IntStream.range(0, EVENTS)
                    .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                    .toList();
            writer.inTransaction(tx -> writer.writer().writeAll(events));
        }
    }

    private void drain(Listener listener) throws Exception {
        leaveBacklog();
        CountedStatements counted = new CountedStatements(database().pool(), TABLE.table());
        try (Outbox outbox = JdbcOutbox.builder(counted.dataSource(), TABLE)
                .listener("Tick", listener)
                .withoutPurge()
                .dispatcher(settings -> settings.completionLingerMs(LINGER_MS))
                .build()) {
            outbox.start();
            assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(Tables.select(database().pool(), "SELECT count(*) FROM " + TABLE + " WHERE status = 1"))
                .containsExactly(Integer.toString(EVENTS));
        List<String> statements = counted.take();
        assertThat(statements.size()).as("statements").isLessThanOrEqualTo((int) (MOST_FOR_EACH * EVENTS));
        assertThat(counted.commits()).isLessThanOrEqualTo((int) (MOST_FOR_EACH * EVENTS));
    }

    @Test
    void one_after_the_other() throws Exception {
        drain(Listener.of((event, delivery) -> {
            all.countDown();
            return Outcome.done();
        }));
    }

    @Test
    void with_stages() throws Exception {
        drain(Listener.async((event, delivery) -> CompletableFuture.supplyAsync(() -> {
            all.countDown();
            return Outcome.done();
        })));
    }

    @Test
    void in_batches() throws Exception {
        drain(Listener.batch(500, Duration.ofMillis(5), batch -> {
            batch.forEach(delivery -> all.countDown());
            return Outcome.allDone(batch);
        }));
    }

    /** A batch that is divided asks the database nothing more. */
    @Test
    void in_batches_of_which_one_event_is_bad() throws Exception {
        String[] bad = new String[1];
        drain(Listener.batch(500, Duration.ofMillis(5), batch -> {
            if (bad[0] == null) {
                bad[0] = batch.get(batch.size() / 3).eventId();
            }
            boolean together = batch.size() > 1
                    && batch.stream().anyMatch(delivery -> delivery.eventId().equals(bad[0]));
            if (together) {
                throw new IllegalStateException("not with others");
            }
            batch.forEach(delivery -> all.countDown());
            return Outcome.allDone(batch);
        }));
    }
}
