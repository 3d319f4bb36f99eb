package outbox.purge;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.EventPurger;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

@Timeout(20)
class OutboxPurgeSchedulerTest {

    /** A backlog that shrinks batch by batch. */
    private static final class Backlog implements EventPurger {
        private final List<String> calls = new CopyOnWriteArrayList<>();
        private int left;
        private RuntimeException failure;

        private Backlog(int left) {
            this.left = left;
        }

        @Override
        public int purge(Connection conn, Instant before, int limit) {
            calls.add(before + " " + limit);
            if (failure != null && calls.size() > 1) {
                throw failure;
            }
            int deleted = Math.min(limit, left);
            left -= deleted;
            return deleted;
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final ManualClock clock = new ManualClock("2026-01-31T12:00:00Z");

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void batches_follow_each_other_until_one_is_not_full() {
        Backlog backlog = new Backlog(25);
        builder(backlog).batchSize(10).build().runOnce();

        assertThat(backlog.calls).hasSize(3).allMatch(call -> call.endsWith(" 10"));
        assertThat(connections.journal()).containsExactly("open", "close", "open", "close", "open", "close");
        assertThat(log.at(Level.INFO)).containsExactly("Purged 25 finished event(s) older than 2026-01-24T12:00:00Z");
    }

    @Test
    void an_exact_multiple_of_the_batch_needs_one_more_look() {
        Backlog backlog = new Backlog(20);
        builder(backlog).batchSize(10).build().runOnce();

        assertThat(backlog.calls).hasSize(3);
    }

    @Test
    void nothing_to_do_is_not_logged() {
        builder(new Backlog(0)).build().runOnce();

        assertThat(log.lines()).isEmpty();
    }

    @Test
    void retention_counts_back_from_the_start_of_the_run_for_all_its_batches() {
        Backlog backlog = new Backlog(15);
        EventPurger slow = (conn, before, limit) -> {
            clock.advance(Duration.ofHours(1));
            return backlog.purge(conn, before, limit);
        };
        builder(slow).retention(Duration.ofDays(30)).batchSize(10).build().runOnce();

        assertThat(backlog.calls).containsExactly("2026-01-01T12:00:00Z 10", "2026-01-01T12:00:00Z 10");
    }

    @Test
    void defaults_are_those_of_the_specification() {
        Backlog backlog = new Backlog(0);
        builder(backlog).build().runOnce();

        assertThat(backlog.calls).containsExactly("2026-01-24T12:00:00Z 500");
        assertThat(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS).isEqualTo(3600);
    }

    @Test
    void each_batch_is_committed_without_autocommit() {
        StubConnections transactional = StubConnections.transactional();
        builder(new Backlog(5))
                .connectionProvider(transactional)
                .batchSize(5)
                .build()
                .runOnce();

        assertThat(transactional.journal()).containsExactly("open", "commit", "close", "open", "commit", "close");
    }

    @Test
    void a_failure_is_logged_and_so_is_what_was_done_before_it() {
        Backlog backlog = new Backlog(100);
        backlog.failure = new IllegalStateException("deadlock");
        builder(backlog).batchSize(10).build().runOnce();

        assertThat(log.at(Level.SEVERE)).containsExactly("Purge failed; the next run will try again");
        assertThat(log.at(Level.INFO)).hasSize(1).first().asString().startsWith("Purged 10 ");
    }

    @Test
    void a_database_that_cannot_be_reached_is_logged() {
        connections.failToOpen(1);
        Backlog backlog = new Backlog(1);
        builder(backlog).build().runOnce();

        assertThat(backlog.calls).isEmpty();
        assertThat(log.at(Level.SEVERE)).hasSize(1);
    }

    @Test
    void a_retention_longer_than_time_itself_is_logged_not_thrown() {
        Backlog backlog = new Backlog(1);
        builder(backlog).retention(ChronoUnit.FOREVER.getDuration()).build().runOnce();

        assertThat(backlog.calls).isEmpty();
        assertThat(log.at(Level.SEVERE)).hasSize(1);
    }

    @Test
    void a_close_between_two_batches_ends_the_run() {
        AtomicInteger batches = new AtomicInteger();
        OutboxPurgeScheduler[] self = new OutboxPurgeScheduler[1];
        self[0] = builder((conn, before, limit) -> {
                    batches.incrementAndGet();
                    self[0].close();
                    return limit;
                })
                .build();
        self[0].runOnce();

        assertThat(batches).hasValue(1);
    }

    @Test
    void a_started_scheduler_purges_at_once_on_a_daemon_thread() {
        CountDownLatch purged = new CountDownLatch(1);
        Thread[] thread = new Thread[1];
        AtomicInteger runs = new AtomicInteger();
        OutboxPurgeScheduler scheduler = builder((conn, before, limit) -> {
                    thread[0] = Thread.currentThread();
                    runs.incrementAndGet();
                    purged.countDown();
                    return 0;
                })
                .build();
        scheduler.start();
        scheduler.start();
        Await.opened(purged);
        scheduler.close();

        assertThat(thread[0].getName()).isEqualTo("outbox-purge-1");
        assertThat(thread[0].isDaemon()).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void after_close_it_cannot_be_started() {
        Backlog backlog = new Backlog(1);
        OutboxPurgeScheduler scheduler = builder(backlog).build();
        scheduler.close();
        scheduler.close();
        scheduler.runOnce();

        assertThatIllegalStateException()
                .isThrownBy(scheduler::start)
                .withMessage("OutboxPurgeScheduler has been closed");
        assertThat(backlog.calls).isEmpty();
    }

    @Test
    void two_parts_are_required() {
        OutboxPurgeScheduler.Builder builder = OutboxPurgeScheduler.builder();
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("connectionProvider is required");
        builder.connectionProvider(connections);
        assertThatNullPointerException().isThrownBy(builder::build).withMessage("purger is required");
    }

    @Test
    void nonsense_is_rejected_at_once() {
        OutboxPurgeScheduler.Builder builder = OutboxPurgeScheduler.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.batchSize(0))
                .withMessage("batchSize must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.intervalSeconds(0))
                .withMessage("intervalSeconds must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.retention(Duration.ofDays(-1)))
                .withMessageContaining("retention must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.doneRetention(Duration.ofDays(-1)))
                .withMessage("doneRetention must not be negative, was PT-24H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.deadRetention(Duration.ofDays(-1)))
                .withMessage("deadRetention must not be negative, was PT-24H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.restBetweenBatches(Duration.ofMillis(-1)))
                .withMessage("restBetweenBatches must not be negative, was PT-0.001S");
        assertThatNullPointerException().isThrownBy(() -> builder.archive(null));
        assertThatNullPointerException().isThrownBy(() -> builder.retention(null));
        assertThatNullPointerException().isThrownBy(() -> builder.clock(null));
        assertThat(builder.retention(Duration.ZERO).batchSize(1).intervalSeconds(1))
                .isSameAs(builder);
    }

    private OutboxPurgeScheduler.Builder builder(EventPurger purger) {
        return OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .purger(purger)
                .clock(clock);
    }
}
