package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** On PostgreSQL a batch takes another statement than a single event; both must leave the same rows. */
class PostgresBatchInsertIT {

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final DataSource pool = database.pool();
    private final AbstractJdbcOutboxStore store = database.store(TableName.of("batch_outbox"));

    /** An event with everything that is awkward in an array, or with nothing but what must be. */
    private static EventEnvelope event(String id, String occurredAt, boolean full) {
        EventEnvelope.Builder event = EventEnvelope.builder("Paid, {\"in\"} full")
                .eventId(id)
                .occurredAt(Instant.parse(occurredAt))
                .payloadJson("{\"text\": \"a \\\"quoted\\\" \\\\ {brace}, NULL, ü 漢 \\u0041\"}");
        if (full) {
            event.aggregateType("NULL").aggregateId("{7,\"8\"}").tenantId("").headers(Map.of("trace", "\\ \" , { }"));
        }
        return event.build();
    }

    private void createTable(String timeType, String jsonType) {
        Tables.shipped(database, "batch_outbox");
        Tables.execute(
                pool,
                "ALTER TABLE batch_outbox ALTER created_at TYPE " + timeType + ", ALTER available_at TYPE " + timeType,
                "ALTER TABLE batch_outbox ALTER payload TYPE %1$s USING payload::%1$s, ALTER headers TYPE %1$s USING headers::%1$s"
                        .formatted(jsonType));
    }

    @ParameterizedTest
    @CsvSource({"TIMESTAMPTZ(6), JSON", "TIMESTAMP, JSONB", "TIMESTAMP(6), TEXT", "TIMESTAMPTZ, JSONB"})
    void a_batch_leaves_the_same_rows_as_single_inserts_whatever_the_columns_and_the_session(
            String timeType, String jsonType) throws SQLException {
        createTable(timeType, jsonType);
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "SET TIME ZONE 'Asia/Kolkata'");
            for (boolean full : new boolean[] {true, false}) {
                for (String at : List.of("2026-03-29T01:30:00.123456Z", "1969-12-31T23:59:59.999999Z")) {
                    Tables.execute(pool, "DELETE FROM batch_outbox");
                    store.insertNew(conn, event("single", at, full));
                    store.insertBatch(conn, List.of(event("batch1", at, full), event("batch2", at, full)));
                    store.ordered().insert(conn, List.of(event("ordered", at, full)), "owner");
                    Tables.execute(pool, "UPDATE batch_outbox SET locked_by = NULL, locked_at = NULL");

                    List<String> different = JdbcTemplate.query(
                            conn,
                            "SELECT DISTINCT (to_jsonb(t) - 'event_id' - 'seq')::text FROM batch_outbox t",
                            row -> row.getString(1));
                    assertThat(different).hasSize(1);
                }
            }
            JdbcTemplate.update(conn, "RESET TIME ZONE");
        }
    }

    @Test
    void a_batch_needs_no_privilege_but_to_insert() throws SQLException {
        Tables.shipped(database, "batch_outbox");
        String role = "batch_writer_" + Long.toString(System.nanoTime(), 36);
        Tables.execute(pool, "CREATE ROLE " + role, "GRANT INSERT ON batch_outbox TO " + role);
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "SET ROLE " + role);
            try {
                store.insertBatch(
                        conn,
                        IntStream.range(0, 5)
                                .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                                .toList());
                assertThatThrownBy(() -> JdbcTemplate.query(conn, "SELECT * FROM batch_outbox", row -> 1))
                        .hasMessageContaining("permission denied");
            } finally {
                JdbcTemplate.update(conn, "RESET ROLE");
            }
            assertThat(JdbcTemplate.query(conn, "SELECT count(*) FROM batch_outbox", row -> row.getInt(1)))
                    .containsExactly(5);
        } finally {
            Tables.execute(pool, "DROP OWNED BY " + role, "DROP ROLE " + role);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 1000, 25_000})
    void all_events_of_a_batch_are_there(int size) throws SQLException {
        Tables.shipped(database, "batch_outbox");
        try (Connection conn = pool.getConnection()) {
            store.insertBatch(
                    conn,
                    IntStream.range(0, size)
                            .mapToObj(i -> EventEnvelope.builder("Tick")
                                    .payloadJson("{\"n\": " + i + "}")
                                    .build())
                            .toList());
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT count(DISTINCT payload->>'n') FROM batch_outbox WHERE status = 0 AND attempts = 0",
                            row -> row.getInt(1)))
                    .containsExactly(size);
        }
    }
}
