package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.PostgresPartitionPurger;
import outbox.model.OutboxEvent;
import outbox.purge.OutboxPurgeScheduler;
import outbox.spi.ConnectionProvider;
import outbox.spi.OrderedStore;
import outbox.spi.PurgeRuns;
import outbox.spi.PurgeRuns.Expiry;
import outbox.testing.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Partitions that come and go, and what must never go with them. */
@Timeout(120)
class PostgresPartitionPurgerIT {

    private static final Instant DAY_1 = Instant.parse("2026-03-01T00:00:00Z");
    private static final Instant DAY_2 = DAY_1.plus(Duration.ofDays(1));
    private static final Instant DAY_3 = DAY_1.plus(Duration.ofDays(2));
    private static final Instant DAY_9 = DAY_1.plus(Duration.ofDays(8));
    private static final Instant NOON_1 = DAY_1.plus(Duration.ofHours(12));
    private static final Instant NOON_2 = DAY_2.plus(Duration.ofHours(12));

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final DataSource pool = database.pool();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private PartitionedTable table;
    private ManualClock clock;

    @BeforeEach
    void createTable() {
        table = new PartitionedTable("partitioned_outbox");
        clock = ManualClock.at(NOON_1);
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    private PostgresPartitionPurger.Builder builder() {
        return PostgresPartitionPurger.builder()
                .table(table.name)
                .partitionsAhead(1)
                .clock(clock);
    }

    private void createPartitions() {
        assertThat(builder().build().createPartitions(pool::getConnection)).isTrue();
    }

    private long run(Expiry expiry) throws SQLException {
        return run(expiry, null, pool::getConnection);
    }

    private long run(Expiry expiry, PurgeRuns.@Nullable BeforeDelete viewer, ConnectionProvider connections)
            throws SQLException {
        PurgeRuns.Run run = builder().build().runs().begin(expiry, viewer);
        long deleted = 0;
        for (int i = 0; i < 200; i++) {
            PurgeRuns.Batch batch = run.next(connections, 2);
            deleted += batch.deleted();
            if (!batch.more()) {
                return deleted;
            }
        }
        throw new AssertionError("the run does not end");
    }

    @Test
    void partitions_of_now_and_ahead_are_created_once_and_take_the_events_of_their_time() throws SQLException {
        createPartitions();
        createPartitions();

        assertThat(table.partitions()).containsExactly("default", "p202603010000", "p202603020000");
        assertThat(table.partitionOf(table.insert(DAY_1, 1))).containsExactly("p202603010000");
        assertThat(table.partitionOf(table.insert(DAY_2.minusMillis(1), 2))).containsExactly("p202603010000");
        assertThat(table.partitionOf(table.insert(DAY_2, 3))).containsExactly("p202603020000");
        assertThat(table.partitionOf(table.insert(DAY_3, 4))).containsExactly("default");
    }

    @Test
    void an_id_is_unique_in_the_whole_table_and_ids_that_are_no_ulids_are_in_the_default_partition()
            throws SQLException {
        createPartitions();
        try (Connection conn = pool.getConnection()) {
            for (String id :
                    List.of("order-7", "0190a5d2-7b1c-7def-8000-000000000000", PartitionedTable.id(NOON_1, 1))) {
                table.store.insertNew(conn, PartitionedTable.event(id, NOON_1));
                assertThatThrownBy(() -> table.store.insertNew(conn, PartitionedTable.event(id, NOON_2)))
                        .hasMessageContaining("SQLState 23505");
            }
        }
        assertThat(table.partitionOf("order-7")).containsExactly("default");
        assertThat(table.partitionOf("0190a5d2-7b1c-7def-8000-000000000000")).containsExactly("default");
    }

    @Test
    void the_table_passes_the_checks_of_a_start() throws SQLException {
        createPartitions();
        try (Connection conn = pool.getConnection()) {
            table.store.checkSchema(conn);
            table.store.ordered().checkSchema(conn);
        }
    }

    @Test
    void a_table_in_a_schema_of_its_own_has_its_partitions_there() throws SQLException {
        TableName name = TableName.of("partitions_" + Long.toString(System.nanoTime(), 36), "org_outbox");
        Tables.execute(pool, "CREATE SCHEMA " + name.schema());
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "postgresql-partitioned", name);
            OutboxSchema.create(conn, "postgresql-partitioned", name);
            PostgresPartitionPurger purger = builder().table(name).build();
            purger.createPartitions(pool::getConnection);
            PurgeRuns.Run run = purger.runs().begin(Expiry.of(DAY_2), null);
            while (run.next(pool::getConnection, 10).more()) {
                // Until the empty partition of the first day is gone.
            }

            assertThat(Tables.select(
                            pool,
                            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '" + name
                                    + "'::regclass ORDER BY 1"))
                    .containsExactly(name + "_default", name + "_p202603020000");
        } finally {
            Tables.execute(pool, "DROP SCHEMA " + name.schema() + " CASCADE");
        }
    }

    @Test
    void two_nodes_create_at_once() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<?>> nodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            nodes.add(threads.submit(() -> {
                start.await(30, TimeUnit.SECONDS);
                return builder().partitionsAhead(20).build().createPartitions(pool::getConnection);
            }));
        }
        for (Future<?> node : nodes) {
            node.get(60, TimeUnit.SECONDS);
        }
        builder().partitionsAhead(20).build().createPartitions(pool::getConnection);
        assertThat(table.partitions()).hasSize(1 + 21);
    }

    @Test
    void events_that_are_in_the_default_partition_stay_there_and_the_new_one_begins_behind_them() throws SQLException {
        String early = table.insert(NOON_1, 1);
        String ofTomorrow = table.insert(NOON_2, 2);
        createPartitions();

        assertThat(table.partitions()).containsExactly("default", "p202603011202", "p202603021202");
        assertThat(table.partitionOf(early)).containsExactly("default");
        assertThat(table.partitionOf(ofTomorrow)).containsExactly("default");
        assertThat(table.partitionOf(table.insert(NOON_1.plusSeconds(120), 3))).containsExactly("p202603011202");
    }

    @Test
    void an_event_that_comes_while_a_partition_is_attached_makes_it_begin_later() throws SQLException {
        int[] inserted = {0};
        ConnectionProvider racing = () -> StoppedConnection.before(pool.getConnection(), "ATTACH", () -> {
            try {
                if (inserted[0]++ == 0) {
                    table.insert(NOON_1, 1);
                }
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(builder().build().createPartitions(racing)).isTrue();

        assertThat(table.partitions()).containsExactly("default", "p202603011202", "p202603020000");
    }

    @Test
    void a_range_in_which_an_id_is_no_ulid_is_left_to_the_default_partition() throws SQLException {
        String strange = PartitionedTable.id(NOON_1, 1).substring(0, 9) + "!";
        try (Connection conn = pool.getConnection()) {
            table.store.insertNew(conn, PartitionedTable.event(strange, NOON_1));
        }
        createPartitions();

        assertThat(table.partitions()).containsExactly("default", "p202603020000");
    }

    @Test
    void another_length_begins_where_the_old_partitions_end() {
        createPartitions();
        clock.advance(Duration.ofDays(1));
        builder().partitionLength(Duration.ofDays(3)).build().createPartitions(pool::getConnection);

        assertThat(table.partitions())
                .containsExactly("default", "p202603010000", "p202603020000", "p202603030000", "p202603050000");
    }

    @Test
    void an_open_business_transaction_does_not_keep_partitions_from_being_created() throws SQLException {
        createPartitions();
        clock.advance(Duration.ofDays(1));
        try (Connection business = pool.getConnection()) {
            business.setAutoCommit(false);
            table.store.insertNew(business, PartitionedTable.event(PartitionedTable.id(NOON_2, 1), NOON_2));

            createPartitions();

            business.rollback();
            business.setAutoCommit(true);
        }
        assertThat(table.partitions()).contains("p202603030000");
    }

    @Test
    void a_partition_is_dropped_when_all_of_its_events_have_expired() throws SQLException {
        createPartitions();
        table.insertEnded(1, NOON_1, 1);
        table.insertEnded(3, NOON_1, 2);
        String later = table.insertEnded(1, NOON_2, 3);
        clock.advance(Duration.ofDays(2));

        assertThat(run(Expiry.of(DAY_2))).isEqualTo(2);

        assertThat(table.partitions()).doesNotContain("p202603010000").contains("p202603020000", "p202603030000");
        assertThat(table.partitionOf(later)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "status = 0",
        "status = 2",
        "'status = 3, locked_by = ''" + OrderedStore.KEY_HELD + "'', done_at = created_at'",
        "'status = 1, done_at = ''2026-03-02 00:00:00Z'''",
        "'status = 3, done_at = ''2026-03-02 00:00:00Z'''",
        "'status = 1, created_at = ''2026-03-02 00:00:00Z'''",
        "'status = 3, created_at = ''2026-03-02 00:00:00Z'''"
    })
    void one_event_that_must_stay_keeps_its_partition(String state) throws SQLException {
        createPartitions();
        String kept = table.insert(NOON_1, 1);
        table.update(kept, state);
        String expired = table.insertEnded(1, NOON_1, 2);

        assertThat(run(Expiry.of(DAY_2))).as("the partition has its time").isZero();
        assertThat(table.partitionOf(expired)).hasSize(1);
        assertThat(table.partitionOf(kept)).containsExactly("p202603010000");
    }

    @Test
    void what_has_expired_in_a_partition_that_is_kept_for_long_is_deleted() throws SQLException {
        createPartitions();
        String pending = table.insert(NOON_1, 1);
        for (int i = 2; i < 9; i++) {
            table.insertEnded(i % 2 == 0 ? 1 : 3, NOON_1, i);
        }

        assertThat(run(Expiry.of(DAY_3))).isEqualTo(7);
        assertThat(table.partitionOf(pending)).containsExactly("p202603010000");

        table.update(pending, "status = 1, done_at = created_at");
        assertThat(run(Expiry.of(DAY_3))).isEqualTo(1);
        assertThat(table.partitions()).doesNotContain("p202603010000");
    }

    @Test
    void dead_events_that_are_kept_keep_their_partition() throws SQLException {
        createPartitions();
        String dead = table.insertEnded(3, NOON_1, 1);
        table.insertEnded(1, NOON_1, 2);

        assertThat(run(new Expiry(DAY_9, null))).isEqualTo(1);

        assertThat(table.partitionOf(dead)).containsExactly("p202603010000");
    }

    @Test
    void events_of_the_default_partition_are_deleted() throws SQLException {
        createPartitions();
        try (Connection conn = pool.getConnection()) {
            for (int i = 0; i < 5; i++) {
                table.store.insertNew(conn, PartitionedTable.event("order-" + i, NOON_1));
                table.update("order-" + i, "status = 1, done_at = created_at");
            }
        }
        assertThat(run(Expiry.of(NOON_1.plusSeconds(1)))).isEqualTo(5);
    }

    @Test
    void with_an_archive_a_partition_is_emptied_and_then_dropped() throws SQLException {
        createPartitions();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            expected.add(table.insertEnded(i % 2 == 0 ? 1 : 3, NOON_1, i));
        }
        List<String> archived = new ArrayList<>();

        long deleted = run(
                Expiry.of(DAY_2),
                (conn, events) -> events.stream().map(OutboxEvent::eventId).forEach(archived::add),
                pool::getConnection);

        assertThat(deleted).isEqualTo(7);
        assertThat(archived).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(table.partitions()).doesNotContain("p202603010000");
    }

    /** The archive could not see an event that somebody holds: it must not go with the partition. */
    @Test
    void with_an_archive_a_partition_in_which_somebody_holds_an_event_stays() throws SQLException {
        createPartitions();
        String held = table.insertEnded(3, NOON_1, 1);
        try (Connection holder = pool.getConnection()) {
            holder.setAutoCommit(false);
            table.store.replayDead(holder, held);
            run(Expiry.of(DAY_2), (conn, events) -> {}, pool::getConnection);
            holder.rollback();
            holder.setAutoCommit(true);
        }
        assertThat(table.partitionOf(held)).containsExactly("p202603010000");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_event_that_is_being_written_or_replayed_keeps_its_partition(boolean replay) throws SQLException {
        createPartitions();
        String dead = table.insertEnded(3, NOON_1, 1);
        String late = PartitionedTable.id(NOON_1, 2);
        try (Connection person = pool.getConnection()) {
            person.setAutoCommit(false);
            if (replay) {
                table.store.replayDead(person, dead);
            } else {
                table.store.insertNew(person, PartitionedTable.event(late, NOON_1));
            }

            assertThat(run(Expiry.of(DAY_2))).as("cannot be locked").isZero();

            person.commit();
            person.setAutoCommit(true);
        }
        assertThat(run(Expiry.of(DAY_2))).as("has something to deliver").isZero();
        assertThat(table.partitionOf(replay ? dead : late)).containsExactly("p202603010000");
    }

    /** The first look has seen nothing that must stay. Snapshots of stricter levels would not see it under the lock either. */
    @ParameterizedTest
    @CsvSource({
        "TRANSACTION_READ_COMMITTED, true",
        "TRANSACTION_REPEATABLE_READ, true",
        "TRANSACTION_REPEATABLE_READ, false",
        "TRANSACTION_SERIALIZABLE, false"
    })
    void an_event_that_was_written_between_the_look_and_the_lock_keeps_its_partition(
            String isolation, boolean autoCommit) throws SQLException {
        createPartitions();
        table.insertEnded(1, NOON_1, 1);
        String late = PartitionedTable.id(NOON_1, 2);
        int[] locks = {0};
        try (HikariDataSource strict = database.newPool(3, config -> {
            config.setTransactionIsolation(isolation);
            config.setAutoCommit(autoCommit);
        })) {
            ConnectionProvider racing = () -> StoppedConnection.before(strict.getConnection(), "LOCK TABLE", () -> {
                try {
                    if (locks[0]++ == 0) {
                        table.insert(NOON_1, 2);
                    }
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(run(Expiry.of(DAY_2), null, racing)).isZero();
        }
        assertThat(locks[0]).as("locks").isPositive();
        assertThat(table.partitionOf(late)).containsExactly("p202603010000");
    }

    /** The locks are held; whoever comes now waits for them, and must find a place afterwards. */
    @Test
    void an_event_that_is_written_while_its_partition_is_dropped_goes_to_the_default_partition() throws Exception {
        createPartitions();
        String dead = table.insertEnded(3, NOON_1, 1);
        String late = PartitionedTable.id(NOON_1, 2);
        CountDownLatch dropping = new CountDownLatch(1);
        ConnectionProvider slow = () -> StoppedConnection.before(pool.getConnection(), "DROP TABLE", () -> {
            dropping.countDown();
            awaitWaiters(2);
        });
        Future<Long> drop = threads.submit(() -> run(Expiry.of(DAY_2), null, slow));
        assertThat(dropping.await(30, TimeUnit.SECONDS)).isTrue();
        Future<?> insert = threads.submit(() -> table.insert(NOON_1, 2));
        Future<Integer> replay = threads.submit(() -> {
            try (Connection conn = pool.getConnection()) {
                return table.store.replayDead(conn, dead);
            }
        });

        assertThat(drop.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        insert.get(60, TimeUnit.SECONDS);
        assertThat(replay.get(60, TimeUnit.SECONDS))
                .as("it is gone, and says so")
                .isZero();
        assertThat(table.partitionOf(late)).containsExactly("default");
        try (Connection conn = pool.getConnection()) {
            assertThat(table.store.pollPending(conn, DAY_9, Duration.ZERO, 10))
                    .extracting(OutboxEvent::eventId)
                    .containsExactly(late);
        }
    }

    /** Until so many sessions wait for a lock on the table. */
    private void awaitWaiters(int count) {
        String waiting =
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '" + table.name + "'::regclass";
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (Integer.parseInt(Tables.select(pool, waiting).get(0)) < count) {
            assertThat(System.nanoTime()).as("time to see them wait").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void a_partition_that_somebody_has_taken_out_is_left_alone() throws SQLException {
        createPartitions();
        table.insertEnded(1, NOON_1, 1);
        ConnectionProvider racing = () -> StoppedConnection.before(
                pool.getConnection(),
                "LOCK TABLE ONLY partitioned_outbox IN",
                () -> Tables.execute(
                        pool, "ALTER TABLE partitioned_outbox DETACH PARTITION partitioned_outbox_p202603010000"));

        assertThat(run(Expiry.of(DAY_2), null, racing)).isZero();

        assertThat(Tables.select(pool, "SELECT event_id FROM partitioned_outbox_p202603010000"))
                .hasSize(1);
        Tables.execute(pool, "DROP TABLE partitioned_outbox_p202603010000");
    }

    @Test
    void two_nodes_purge_at_once() throws Exception {
        builder().partitionsAhead(6).build().createPartitions(pool::getConnection);
        for (int day = 0; day < 6; day++) {
            for (int i = 0; i < 10; i++) {
                table.insertEnded(1, NOON_1.plus(Duration.ofDays(day)), i);
            }
        }
        String pending = table.insert(NOON_1, 99);
        CyclicBarrier start = new CyclicBarrier(2);
        List<Future<?>> nodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            nodes.add(threads.submit(() -> {
                start.await(30, TimeUnit.SECONDS);
                return run(Expiry.of(DAY_9));
            }));
        }
        for (Future<?> node : nodes) {
            node.get(60, TimeUnit.SECONDS);
        }
        run(Expiry.of(DAY_9));
        assertThat(Tables.select(pool, "SELECT event_id FROM partitioned_outbox"))
                .containsExactly(pending);
        assertThat(table.partitions()).contains("p202603010000").doesNotContain("p202603040000", "p202603060000");
    }

    @Test
    void the_scheduler_drops_partitions_while_events_are_written_and_claimed() throws Exception {
        clock = ManualClock.at(Instant.now());
        createPartitions();
        String old = PartitionedTable.id(Instant.now().minus(Duration.ofDays(30)), 1);
        try (OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
                        .connectionProvider(pool::getConnection)
                        .purger(builder().build())
                        .retention(Duration.ofDays(7))
                        .build();
                Connection conn = pool.getConnection()) {
            table.store.insertNew(
                    conn, PartitionedTable.event(old, Instant.now().minus(Duration.ofDays(30))));
            EventEnvelope fresh = EventEnvelope.ofJson("Tick", "{}");
            table.store.insertNew(conn, fresh);
            purge.runOnce();

            assertThat(table.store.leases().claim(conn, "owner", Duration.ofMinutes(5), Duration.ZERO, 10))
                    .extracting(taken -> taken.event().eventId())
                    .containsExactlyInAnyOrder(old, fresh.eventId());
        }
    }

    @Test
    void a_table_that_is_not_partitioned_is_refused_with_the_way_out() {
        Tables.shipped(database, "plain_outbox");
        PostgresPartitionPurger purger =
                builder().table(TableName.of("plain_outbox")).build();

        assertThatThrownBy(() -> purger.createPartitions(pool::getConnection))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessage("Table \"plain_outbox\" must be partitioned by RANGE (event_id), was by nothing: create it"
                        + " with schema/postgresql-partitioned.sql from outbox-jdbc, or use PostgresEventPurger");
        assertThatThrownBy(() -> purger.runs().begin(Expiry.of(DAY_9), null).next(pool::getConnection, 1))
                .hasMessageContaining("must be partitioned");
        assertThatThrownBy(() ->
                        builder().table(TableName.of("nowhere_outbox")).build().createPartitions(pool::getConnection))
                .hasMessage("Cannot create partitions of table nowhere_outbox");
    }

    @Test
    void nonsense_is_rejected_at_once() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().partitionLength(Duration.ofSeconds(90)))
                .withMessage("partitionLength must be whole minutes and at least one, was PT1M30S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().partitionLength(Duration.ZERO))
                .withMessage("partitionLength must be whole minutes and at least one, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().partitionsAhead(0))
                .withMessage("partitionsAhead must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().lockTimeout(Duration.ZERO))
                .withMessage("lockTimeout must be at least a millisecond, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().table(TableName.of("t".repeat(50))))
                .withMessage("The name of a table in partitions must be at most 49 characters, was 50: \"%s\""
                        .formatted("t".repeat(50)));
    }
}
