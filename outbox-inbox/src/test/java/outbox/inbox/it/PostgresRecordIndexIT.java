package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.inbox.ConsumeRecordStore;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;

import static org.assertj.core.api.Assertions.assertThat;

/** One small index serves all who look for failed records among many that succeeded. */
class PostgresRecordIndexIT {

    private static final String TABLE = "record_with_few_failed";

    /** Of one connection, whose work the server's statistics can be made to tell at once. */
    private static HikariDataSource session;

    private static ConsumeRecordStore records;

    @BeforeAll
    static void fill() throws SQLException {
        session = TestedDatabase.POSTGRESQL.address().pool(1);
        TableName table = TableName.of(TABLE);
        try (Connection conn = session.getConnection()) {
            InboxSchema.create(conn, "postgresql", table);
            JdbcTemplate.update(conn, """
                    INSERT INTO record_with_few_failed (consumer_group, event_id, event_type, status, error_msg, payload,
                      next_retry_at, processed_at, created_at, updated_at)
                    SELECT 'G', n, 'T', CASE WHEN n % 1000 = 0 THEN 2 ELSE 1 END, CASE WHEN n % 1000 = 0 THEN 'no' END,
                      CASE WHEN n % 1000 = 0 THEN '{}' END, CASE WHEN n % 2000 = 0 THEN now() END,
                      now(), now() + n * interval '1 second', now()
                    FROM generate_series(1, 20000) AS n""");
            JdbcTemplate.update(
                    conn,
                    "UPDATE " + TABLE + " SET headers = '{}', aggregate_type = 'Order',"
                            + " occurred_at = created_at WHERE payload IS NOT NULL");
            JdbcTemplate.update(conn, "ANALYZE " + TABLE);
        }
        records = JdbcInbox.on(session, new ThreadLocalTxContext(), table).records();
    }

    @AfterAll
    static void close() {
        session.close();
    }

    @Test
    void due_retries_are_found_by_the_index_of_failed_records() {
        assertFoundByIndex(() -> records.findDue("G", "T", 100).size(), 10);
    }

    @Test
    void failed_records_are_found_by_their_index() {
        assertFoundByIndex(() -> records.findFailed("G", false, 100).size(), 20);
        assertFoundByIndex(() -> records.findFailed(null, false, 100).size(), 20);
    }

    @Test
    void failures_are_counted_for_gauges_by_the_index_of_failed_ones() {
        assertFoundByIndex(() -> records.countFailures(10_000).failed(), 20);
    }

    @Test
    void exhausted_records_are_counted_by_the_index_of_failed_ones() {
        assertFoundByIndex(() -> records.countFailed("G", true), 10);
    }

    private static void assertFoundByIndex(LongSupplier look, long found) {
        long before = scansOfIndex();
        long readWhole = scansOfTable();

        assertThat(look.getAsLong()).isEqualTo(found);

        assertThat(scansOfIndex()).isEqualTo(before + 1);
        assertThat(scansOfTable()).isEqualTo(readWhole);
    }

    private static long scansOfIndex() {
        return statistic(
                "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = ?", "idx_" + TABLE + "_failed");
    }

    private static long scansOfTable() {
        return statistic("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = ?", TABLE);
    }

    private static long statistic(String sql, String name) {
        Effects.number(session, "SELECT 1 FROM (SELECT pg_stat_force_next_flush()) AS flushed");
        return Effects.number(session, sql, name);
    }
}
