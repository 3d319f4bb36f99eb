package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.jdbc.purge.PostgresPartitionPurger;
import outbox.testing.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Which way the database goes when a table has many partitions that are full of finished events. */
class PostgresPartitionPlansIT {

    private static final Instant DAY_1 = Instant.parse("2026-03-01T00:00:00Z");
    private static final Instant LATER = Instant.parse("2026-06-01T00:00:00Z");
    private static final int EACH = 4_000;

    private static final List<String> PARTITIONS =
            List.of("p202603010000", "p202603020000", "p202603030000", "default");

    private static PartitionedTable table;

    @BeforeAll
    static void fillTable() throws SQLException {
        TestedDatabase database = TestedDatabase.POSTGRESQL;
        table = new PartitionedTable("planned_outbox");
        PostgresPartitionPurger.builder()
                .table(table.name)
                .partitionsAhead(2)
                .clock(ManualClock.at(DAY_1))
                .build()
                .createPartitions(database.pool()::getConnection);
        for (int day = 0; day < PARTITIONS.size(); day++) {
            Instant start = DAY_1.plus(Duration.ofDays(day));
            insert(database, start, EACH);
            Tables.execute(
                    database.pool(), "UPDATE planned_outbox SET status = 1, done_at = created_at WHERE status = 0");
        }
        for (int day = 0; day < PARTITIONS.size(); day++) {
            insert(database, DAY_1.plus(Duration.ofDays(day)).plusSeconds(3600), 50);
        }
        Tables.execute(database.pool(), "ANALYZE planned_outbox");
    }

    private static void insert(TestedDatabase database, Instant start, int count) throws SQLException {
        try (Connection conn = database.pool().getConnection()) {
            table.store.insertBatch(
                    conn,
                    IntStream.range(0, count)
                            .mapToObj(i -> PartitionedTable.event(
                                    PartitionedTable.id(start.plusMillis(i), i), start.plusMillis(i)))
                            .toList());
        }
    }

    private interface Work {
        void on(Connection conn) throws SQLException;
    }

    private static String firstPlanOf(Work work) throws SQLException {
        try (Connection conn = TestedDatabase.POSTGRESQL.pool().getConnection()) {
            ExplainingConnection explaining = new ExplainingConnection(conn);
            work.on(explaining.connection());
            return explaining.plans().get(0);
        }
    }

    private static void assertPendingIndexOfEachPartition(String plan) {
        assertThat(PARTITIONS)
                .allSatisfy(partition ->
                        assertThat(plan).contains("planned_outbox_" + partition + "_available_at_event_id_idx"));
        assertThat(plan).doesNotContain("Seq Scan");
    }

    @Test
    void a_poll_uses_the_index_on_pending_events_of_each_partition() throws SQLException {
        assertPendingIndexOfEachPartition(
                firstPlanOf(conn -> table.store.pollPending(conn, LATER, Duration.ZERO, 100)));
    }

    @Test
    void a_claim_uses_the_index_on_pending_events_of_each_partition() throws SQLException {
        assertPendingIndexOfEachPartition(firstPlanOf(
                conn -> table.store.leases().claim(conn, "owner", Duration.ofMinutes(5), Duration.ZERO, 100)));
    }

    @Test
    void a_mark_looks_into_one_partition_only() throws SQLException {
        String plan = firstPlanOf(conn -> table.store.markDone(conn, PartitionedTable.id(DAY_1, 0)));

        assertThat(plan).contains("planned_outbox_p202603010000_pkey").doesNotContain("p202603020000", "default");
    }
}
