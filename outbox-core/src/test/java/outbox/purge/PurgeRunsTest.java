package outbox.purge;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Batch;
import outbox.spi.PurgeRuns.Expiry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** A purger that has runs of its own: retention by status, archive, rests and progress. */
@Timeout(20)
class PurgeRunsTest {

    /** Takes some time for each batch and shows one event of it. */
    private final class Scripted implements EventPurger, PurgeRuns {
        private final List<Expiry> begun = new ArrayList<>();
        private final List<Batch> batches = new ArrayList<>();
        private Duration batchTakes = Duration.ZERO;
        private Runnable duringBatch = () -> {};

        @Override
        public int purge(Connection conn, Instant before, int limit) {
            throw new AssertionError("has runs");
        }

        @Override
        public PurgeRuns runs() {
            return this;
        }

        @Override
        public Run begin(Expiry expiry, @Nullable BeforeDelete beforeDelete) {
            begun.add(expiry);
            return (connections, limit) -> {
                nanos.advance(batchTakes);
                duringBatch.run();
                if (beforeDelete != null) {
                    show(connections, beforeDelete);
                }
                return batches.remove(0);
            };
        }

        private void show(ConnectionProvider connections, BeforeDelete beforeDelete) throws SQLException {
            try (Connection conn = connections.getConnection()) {
                beforeDelete.see(conn, List.of(Events.row("e1"), Events.row("e2")));
            }
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final ManualClock clock = new ManualClock("2026-01-31T12:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final Scripted purger = new Scripted();

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    private OutboxPurgeScheduler.Builder builder() {
        return OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .purger(purger)
                .clock(clock)
                .nanoTime(nanos);
    }

    private Expiry expiryOf(OutboxPurgeScheduler.Builder builder) {
        purger.batches.add(new Batch(1, false, null));
        builder.build().runOnce();
        return purger.begun.remove(0);
    }

    @Test
    void one_retention_is_for_both_and_each_status_may_have_its_own() {
        Instant tenDays = Instant.parse("2026-01-21T12:00:00Z");
        Instant oneDay = Instant.parse("2026-01-30T12:00:00Z");

        assertThat(expiryOf(builder().retention(Duration.ofDays(10)))).isEqualTo(new Expiry(tenDays, tenDays));
        assertThat(expiryOf(builder().doneRetention(Duration.ofDays(1)).retention(Duration.ofDays(10))))
                .isEqualTo(new Expiry(oneDay, tenDays));
        assertThat(expiryOf(builder().deadRetention(Duration.ofDays(10)).retention(Duration.ofDays(1))))
                .isEqualTo(new Expiry(oneDay, tenDays));
        assertThat(expiryOf(builder().keepDead().retention(Duration.ofDays(1)))).isEqualTo(new Expiry(oneDay, null));
        assertThat(log.at(Level.INFO))
                .containsExactly(
                        "Purged 1 finished event(s) older than " + tenDays,
                        "Purged 1 finished event(s) DONE and older than " + oneDay + ", or DEAD and older than "
                                + tenDays,
                        "Purged 1 finished event(s) DONE and older than " + oneDay + ", or DEAD and older than "
                                + tenDays,
                        "Purged 1 finished event(s) DONE and older than " + oneDay);
    }

    @Test
    void settings_that_contradict_each_other_are_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        builder().keepDead().deadRetention(Duration.ofDays(90)).build())
                .withMessage("keepDead and deadRetention are both set, the latter to PT2160H; set one of them");

        EventPurger plain = (conn, before, limit) -> 0;
        String needsRuns = " needs a purger that supports runs, but "
                + plain.getClass().getName() + " does not; override runs(), or set only retention";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().purger(plain).keepDead().build())
                .withMessage("A retention for each status" + needsRuns);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        builder().purger(plain).archive((conn, events) -> {}).build())
                .withMessage("archive" + needsRuns);
    }

    @Test
    void a_run_goes_on_as_long_as_it_says_so_however_little_a_batch_deletes() {
        purger.batches.addAll(List.of(new Batch(5, true, null), new Batch(0, true, null), new Batch(2, false, null)));
        builder().build().runOnce();

        assertThat(purger.batches).isEmpty();
        assertThat(log.at(Level.INFO)).containsExactly("Purged 7 finished event(s) older than 2026-01-24T12:00:00Z");
    }

    @Test
    void the_archive_is_given_the_events_and_the_connection() {
        purger.batches.add(new Batch(2, false, null));
        List<String> archived = new ArrayList<>();
        builder()
                .archive((conn, events) -> {
                    assertThat(conn).isNotNull();
                    events.forEach(event -> archived.add(event.eventId()));
                })
                .build()
                .runOnce();

        assertThat(archived).containsExactly("e1", "e2");
    }

    @Test
    void an_archive_that_throws_ends_the_run_and_is_logged() {
        purger.batches.add(new Batch(2, true, null));
        builder()
                .archive((conn, events) -> {
                    throw new IOException("bucket is away");
                })
                .build()
                .runOnce();

        assertThat(purger.batches).as("batches that were not reached").hasSize(1);
        assertThat(log.at(Level.SEVERE)).containsExactly("Purge failed; the next run will try again");
        assertThat(log.at(Level.INFO)).isEmpty();
    }

    @Test
    void an_archive_that_is_interrupted_leaves_the_interrupt_to_its_thread() {
        purger.batches.add(new Batch(2, true, null));
        builder()
                .archive((conn, events) -> {
                    throw new InterruptedException();
                })
                .build()
                .runOnce();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void progress_of_a_long_run_is_logged_once_a_minute() {
        purger.batchTakes = Duration.ofSeconds(40);
        for (int i = 1; i <= 4; i++) {
            purger.batches.add(new Batch(50, true, "DONE of day " + i));
        }
        purger.batches.add(new Batch(7, false, null));
        builder().restBetweenBatches(Duration.ZERO).build().runOnce();

        assertThat(log.at(Level.INFO))
                .containsExactly(
                        "Purging for PT1M20S: 100 event(s) so far, now at DONE of day 2",
                        "Purging for PT2M40S: 200 event(s) so far, now at DONE of day 4",
                        "Purged 207 finished event(s) older than 2026-01-24T12:00:00Z");
    }

    @Test
    void a_close_ends_the_rest_at_once() {
        CountDownLatch resting = new CountDownLatch(1);
        AtomicInteger batches = new AtomicInteger();
        purger.batchTakes = Duration.ofDays(1);
        purger.duringBatch = () -> {
            batches.incrementAndGet();
            resting.countDown();
        };
        purger.batches.addAll(List.of(new Batch(1, true, null), new Batch(1, true, null)));
        OutboxPurgeScheduler scheduler =
                builder().restBetweenBatches(Duration.ofDays(2)).build();
        scheduler.start();
        Await.opened(resting);
        scheduler.close();

        assertThat(batches).hasValue(1);
        assertThat(log.at(Level.WARNING)).as("had to be interrupted").isEmpty();
        assertThat(log.at(Level.INFO)).endsWith("Purged 1 finished event(s) older than 2026-01-24T12:00:00Z");
    }

    @Test
    void a_rest_is_as_long_as_the_batch_took_but_bounded() {
        Rest rest = new Rest(Duration.ofMillis(20));
        long start = System.nanoTime();
        assertThat(rest.after(Duration.ofMillis(5))).isTrue();
        long afterShort = System.nanoTime();
        assertThat(rest.after(Duration.ofDays(1))).isTrue();
        long afterLong = System.nanoTime();

        assertThat(Duration.ofNanos(afterShort - start)).isGreaterThanOrEqualTo(Duration.ofMillis(5));
        assertThat(Duration.ofNanos(afterLong - afterShort)).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    }

    @Test
    void an_interrupted_rest_ends_the_run_and_keeps_the_interrupt() {
        purger.batchTakes = Duration.ofDays(1);
        purger.duringBatch = () -> Thread.currentThread().interrupt();
        purger.batches.addAll(List.of(new Batch(1, true, null), new Batch(1, true, null)));
        builder().restBetweenBatches(Duration.ofDays(2)).build().runOnce();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(purger.batches).hasSize(1);
    }
}
