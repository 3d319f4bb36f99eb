package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.ConnectionProvider;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Expiry;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Purges beside others that hold or want the same rows. */
@Timeout(120)
@Tag("locale")
abstract class PurgeSuite {

    private static final TableName TABLE = TableName.of("purge_outbox");
    private static final Instant ALL = Instant.parse("2100-01-01T00:00:00Z");

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE.table());
    }

    private static String id(int number) {
        return String.format(Locale.ROOT, "e%05d", number);
    }

    /** All ended at the same moment, as those do that were marked by one statement. */
    private void insertFinished(EventStatus status, int from, int count) throws SQLException {
        List<EventEnvelope> events = IntStream.range(from, from + count)
                .mapToObj(i -> EventEnvelope.builder("Tick")
                        .eventId(id(i))
                        .payloadJson("{\"n\":" + i + "}")
                        .build())
                .toList();
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertBatch(conn, events);
            JdbcTemplate.update(
                    conn,
                    "UPDATE purge_outbox SET status = ?, done_at = ? WHERE status = 0",
                    status.code(),
                    Instant.parse("2026-01-01T00:00:00Z"));
        }
    }

    private List<String> left() {
        return Tables.select(database().pool(), "SELECT event_id FROM purge_outbox ORDER BY event_id");
    }

    private long runToItsEnd(int limit) throws SQLException {
        PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), null);
        long deleted = 0;
        for (int i = 0; i < 1_000; i++) {
            PurgeRuns.Batch batch = run.next(database().pool()::getConnection, limit);
            deleted += batch.deleted();
            if (!batch.more()) {
                return deleted;
            }
        }
        throw new AssertionError("the run does not end");
    }

    @Test
    void rows_that_somebody_holds_are_left_and_neither_hide_what_is_behind_them_nor_keep_the_run_from_ending()
            throws SQLException {
        insertFinished(EventStatus.DONE, 0, 40);
        try (Connection holder = database().pool().getConnection()) {
            holder.setAutoCommit(false);
            for (int i = 0; i < 25; i++) {
                JdbcTemplate.update(holder, "UPDATE purge_outbox SET last_error = 'seen' WHERE event_id = ?", id(i));
            }

            assertThat(runToItsEnd(10)).isEqualTo(15);

            holder.rollback();
            holder.setAutoCommit(true);
        }
        assertThat(left()).hasSize(25);
        assertThat(runToItsEnd(10)).as("the next run").isEqualTo(25);
    }

    @Test
    void a_dead_event_that_a_person_is_replaying_stays() throws SQLException {
        insertFinished(EventStatus.DEAD, 0, 3);
        try (Connection person = database().pool().getConnection()) {
            person.setAutoCommit(false);
            assertThat(table.store().replayDead(person, id(1))).isEqualTo(1);

            assertThat(runToItsEnd(10)).isEqualTo(2);

            person.commit();
            person.setAutoCommit(true);
        }
        assertThat(runToItsEnd(10)).isZero();
        assertThat(table.find(id(1)).status()).isEqualTo(EventStatus.NEW);
    }

    /** The run has seen the event as DEAD; by the time it locks it, it is to be delivered again. */
    @Test
    void an_event_that_was_replayed_between_the_look_and_the_lock_stays() throws SQLException {
        insertFinished(EventStatus.DEAD, 0, 3);
        PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), null);
        long deleted = 0;
        boolean more = true;
        while (more) {
            PurgeRuns.Batch batch = run.next(
                    () -> StoppedConnection.before(database().pool().getConnection(), "FOR UPDATE", this::replayFirst),
                    10);
            deleted += batch.deleted();
            more = batch.more();
        }

        assertThat(deleted).isEqualTo(2);
        assertThat(table.find(id(0)).status()).isEqualTo(EventStatus.NEW);
    }

    private void replayFirst() {
        try (Connection conn = database().pool().getConnection()) {
            table.store().replayDead(conn, id(0));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Whatever the optimizer believes: the sizes are such that it finds it cheaper to read all of the table. */
    @ParameterizedTest
    @ValueSource(ints = {6, 60, 120})
    void what_is_deleted_waits_for_no_other_event(int events) throws Exception {
        insertFinished(EventStatus.DONE, 0, events);
        try (Connection other = database().pool().getConnection();
                Connection conn = database().pool().getConnection()) {
            other.setAutoCommit(false);
            for (int i = 1; i < events; i += 2) {
                JdbcTemplate.update(other, "UPDATE purge_outbox SET last_error = 'seen' WHERE event_id = ?", id(i));
            }
            PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), null);

            assertThat(run.next(() -> conn, events).deleted()).isEqualTo(events / 2);
            other.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 60, 120})
    void what_is_deleted_after_its_delivery_waits_for_no_other_event(int events) throws Exception {
        insertFinished(EventStatus.DONE, 0, events);
        Tables.execute(
                database().pool(),
                "UPDATE purge_outbox SET status = 0, locked_by = 'owner', locked_at = CURRENT_TIMESTAMP");
        List<String> delivered =
                IntStream.range(0, events / 2).mapToObj(i -> id(2 * i)).toList();
        try (Connection other = database().pool().getConnection();
                Connection conn = database().pool().getConnection()) {
            other.setAutoCommit(false);
            for (int i = 1; i < events; i += 2) {
                JdbcTemplate.update(other, "UPDATE purge_outbox SET last_error = 'seen' WHERE event_id = ?", id(i));
            }

            assertThat(table.store().leases().delete(conn, "owner", delivered)).isEmpty();
            other.rollback();
        }
        assertThat(left()).hasSize(events / 2).doesNotContainAnyElementsOf(delivered);
    }

    /** Each archives what it has deleted, of a batch that was repeated the last try: together they must have each event once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void two_nodes_that_purge_at_once_delete_each_event_once(boolean autoCommit) throws Exception {
        int events = 2_000;
        insertFinished(EventStatus.DONE, 0, events / 2);
        insertFinished(EventStatus.DEAD, events / 2, events / 2);
        List<List<OutboxEvent>> archived = List.of(new ArrayList<>(), new ArrayList<>());
        CyclicBarrier start = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (HikariDataSource pool = database().newPool(4, autoCommit)) {
            List<Future<?>> nodes = new ArrayList<>();
            for (List<OutboxEvent> mine : archived) {
                nodes.add(threads.submit(() -> {
                    start.await(30, TimeUnit.SECONDS);
                    purge(pool, mine);
                    return null;
                }));
            }
            for (Future<?> node : nodes) {
                node.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(left()).isEmpty();
        List<String> all = archived.stream()
                .flatMap(List::stream)
                .map(OutboxEvent::eventId)
                .toList();
        assertThat(all).hasSize(events);
        assertThat(new HashSet<>(all)).hasSize(events);
    }

    /** One pass, in small batches. */
    private void purge(HikariDataSource pool, List<OutboxEvent> archived) throws SQLException {
        List<OutboxEvent> shown = new ArrayList<>();
        PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), (conn, batch) -> {
            shown.clear();
            shown.addAll(batch);
        });
        boolean more = true;
        while (more) {
            more = run.next(pool::getConnection, 50).more();
            archived.addAll(shown);
            shown.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_batch_that_is_the_victim_of_a_deadlock_is_repeated(boolean autoCommit) throws SQLException {
        insertFinished(EventStatus.DONE, 0, 30);
        AtomicInteger deadlocks = new AtomicInteger(2);
        try (HikariDataSource pool = database().newPool(2, autoCommit)) {
            PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), null);
            ConnectionProvider unlucky = () -> StoppedConnection.before(pool.getConnection(), "DELETE", () -> {
                if (deadlocks.getAndDecrement() > 0) {
                    throw new SQLException("victim", "40001");
                }
            });

            assertThat(run.next(unlucky, 20).deleted()).isEqualTo(20);
            assertThat(run.next(unlucky, 20).deleted()).isEqualTo(10);
        }
        assertThat(left()).isEmpty();
        assertThat(deadlocks).hasNegativeValue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_archive_in_the_same_database_is_exact_even_if_it_fails_now_and_then(boolean autoCommit)
            throws SQLException {
        insertFinished(EventStatus.DONE, 0, 30);
        Tables.execute(
                database().pool(),
                "DROP TABLE IF EXISTS purge_archive",
                "CREATE TABLE purge_archive (event_id VARCHAR(36) NOT NULL)");
        int[] calls = {0};
        try (HikariDataSource pool = database().newPool(2, autoCommit);
                OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                        .connectionProvider(pool::getConnection)
                        .purger(table.purger())
                        .retention(Duration.ZERO)
                        .batchSize(10)
                        .archive((conn, events) -> {
                            for (OutboxEvent event : events) {
                                JdbcTemplate.update(conn, "INSERT INTO purge_archive VALUES (?)", event.eventId());
                            }
                            if (++calls[0] == 2) {
                                throw new IllegalStateException("the disk is full");
                            }
                        })
                        .build()) {
            purge.runOnce();
            assertThat(left()).hasSize(20);
            assertThat(archived()).hasSize(10);

            purge.runOnce();
        }
        assertThat(left()).isEmpty();
        assertThat(archived()).hasSize(30).doesNotHaveDuplicates();
    }

    private List<String> archived() {
        return Tables.select(database().pool(), "SELECT event_id FROM purge_archive");
    }

    @Test
    void the_position_tells_status_and_time() throws SQLException {
        insertFinished(EventStatus.DONE, 0, 3);
        PurgeRuns.Run run = table.purger().runs().begin(Expiry.of(ALL), null);

        assertThat(run.next(database().pool()::getConnection, 2).position())
                .isEqualTo("DONE events that ended at 2026-01-01T00:00:00Z");
    }
}
