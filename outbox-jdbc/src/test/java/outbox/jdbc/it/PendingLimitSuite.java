package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxFullException;
import outbox.WhenFull;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Writers that find too many events pending. */
@Timeout(60)
abstract class PendingLimitSuite {

    private static final TableName TABLE = TableName.of("limited_outbox");

    abstract TestedDatabase database();

    @BeforeEach
    void createTables() {
        Tables.shipped(database(), TABLE.table());
        Tables.execute(
                database().pool(),
                "DROP TABLE IF EXISTS limited_order",
                "CREATE TABLE limited_order (id VARCHAR(20) PRIMARY KEY)");
    }

    private OutboxBuilder writer() {
        return JdbcOutbox.builder(database().pool(), TABLE).writerOnly();
    }

    private void fill(int events) {
        try (Outbox writer = writer().build()) {
            writer.inTransaction(tx -> {
                for (int i = 0; i < events; i++) {
                    writer.write("Placed", "{}");
                }
            });
        }
    }

    private static void write(Outbox outbox) {
        outbox.inTransaction(tx -> {
            outbox.write("Placed", "{}");
        });
    }

    private int count(String query) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            return JdbcTemplate.query(conn, query, row -> row.getInt(1)).get(0);
        }
    }

    private int rows() throws SQLException {
        return count("SELECT COUNT(*) FROM limited_outbox");
    }

    @Test
    void a_full_table_refuses_writes_until_it_is_down_to_nine_tenths_and_the_business_goes_on() throws Exception {
        fill(11);
        try (Outbox outbox = writer().pendingLimit(10, WhenFull.REFUSE).build()) {
            outbox.start();
            assertThat(outbox.health().problems())
                    .containsExactly(
                            "Writes to table limited_outbox are refused: at least 11 events are pending, and its limit is 10");
            outbox.inTransaction(tx -> {
                assertThatThrownBy(() -> outbox.write("Placed", "{}")).isInstanceOf(OutboxFullException.class);
                JdbcTemplate.update(tx.connection(), "INSERT INTO limited_order VALUES ('42')");
            });
            assertThat(count("SELECT COUNT(*) FROM limited_order")).isEqualTo(1);
            assertThat(rows()).isEqualTo(11);

            Tables.execute(database().pool(), "DELETE FROM limited_outbox");
            while (!outbox.health().healthy()) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
            write(outbox);
            assertThat(rows()).isEqualTo(1);
        }
    }

    @Test
    void a_writer_that_was_never_started_is_refused_too_and_so_are_joined_transactions() throws Exception {
        fill(11);
        try (Outbox outbox = writer().pendingLimit(10, WhenFull.REFUSE).build();
                Connection conn = database().pool().getConnection()) {
            write(outbox);
            assertThat(outbox.health().problems()).hasSize(1);
            conn.setAutoCommit(false);
            try (JoinedWriter joined = outbox.on(conn)) {
                assertThatThrownBy(() -> joined.write("Placed", "{}"))
                        .isInstanceOf(OutboxFullException.class)
                        .hasMessageContaining("limited_outbox");
                JdbcTemplate.update(conn, "INSERT INTO limited_order VALUES ('43')");
                conn.commit();
            } finally {
                conn.setAutoCommit(true);
            }
        }
        assertThat(count("SELECT COUNT(*) FROM limited_order")).isEqualTo(1);
        assertThat(rows()).isEqualTo(12);
    }

    @Test
    void a_limit_that_warns_lets_writers_through() throws Exception {
        fill(11);
        try (LibraryLog log = new LibraryLog();
                Outbox outbox = writer().pendingLimit(10, WhenFull.WARN).build()) {
            outbox.start();
            assertThat(outbox.health().warnings())
                    .contains("More than 10 events are pending in table limited_outbox, and its limit is 10");
            assertThat(outbox.health().problems()).isEmpty();
            write(outbox);
            assertThat(log.entries())
                    .filteredOn(entry -> entry.contains("which is its limit; writes go on"))
                    .hasSize(1);
        }
        assertThat(rows()).isEqualTo(12);
    }

    @Test
    void health_tells_from_half_of_the_limit_on() {
        fill(5);
        try (Outbox outbox = writer().pendingLimit(10, WhenFull.REFUSE).build()) {
            assertThat(outbox.health().warnings())
                    .contains("5 events are pending in table limited_outbox, and its limit is 10");
            assertThat(outbox.health().figures().table().pending()).isEqualTo(5);
        }
    }

    @Test
    void nothing_is_counted_without_a_limit_and_with_one_no_write_counts() throws Exception {
        CountedStatements counted = new CountedStatements(database().pool(), TABLE.table());
        OutboxBuilder builder = JdbcOutbox.builder(counted.dataSource(), TABLE).writerOnly();
        int writes = 50;
        try (Outbox outbox = builder.build()) {
            counted.take();
            for (int i = 0; i < writes; i++) {
                write(outbox);
            }
        }
        assertThat(counted.take()).hasSize(writes);

        try (Outbox outbox = builder.pendingLimit(1_000, WhenFull.REFUSE).build()) {
            assertThat(outbox.health().figures().table().pending()).isEqualTo(writes);
            counted.take();
            for (int i = 0; i < writes; i++) {
                write(outbox);
            }
            List<String> looks = counted.take().stream()
                    .filter(sql -> !sql.startsWith("INSERT"))
                    .filter(sql -> sql.startsWith("SELECT"))
                    .toList();
            assertThat(looks).hasSizeLessThanOrEqualTo(1);
        }
    }
}
