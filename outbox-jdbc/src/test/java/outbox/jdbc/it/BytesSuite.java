package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.spi.OutboxStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Payloads that are not text, from the write to the listener, and tables that have no columns for them. */
@Timeout(90)
abstract class BytesSuite {

    private static final TableName TABLE = TableName.of("bytes_outbox");
    private static final int WITHOUT_BYTES = 7;
    private static final byte[] PAYLOAD = {0, -1, 127, -128, 10, 'S', '3', 'C', 'R', 'E', 'T', '-', 'a', 'v', 'r', 'o'};
    private static final String AVRO = "application/avro";

    private final BlockingQueue<EventEnvelope> delivered = new LinkedBlockingQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        for (String behind : List.of("", "_node", "_pause")) {
            Tables.drop(database().pool(), behind.isEmpty() ? TABLE : TABLE.beside(behind));
        }
    }

    private String name() {
        return database().store(TABLE).name();
    }

    private void createVersion(int version) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.versions(name()).migrate(conn, TABLE, 0, version);
        }
    }

    private OutboxBuilder describe(DataSource dataSource) {
        return JdbcOutbox.builder(dataSource, TABLE)
                .poller(settings -> settings.intervalMs(50))
                .defaultListener(delivered::add);
    }

    private Outbox started(UnaryOperator<OutboxBuilder> settings) {
        Outbox outbox = settings.apply(describe(database().pool())).build();
        outbox.start();
        return outbox;
    }

    private Outbox writer() {
        return describe(database().pool()).writerOnly().build();
    }

    private static EventEnvelope bytes(String key) {
        return EventEnvelope.builder("Placed")
                .aggregateId(key)
                .payload(PAYLOAD, AVRO)
                .build();
    }

    private EventEnvelope next() throws InterruptedException {
        EventEnvelope event = delivered.poll(30, TimeUnit.SECONDS);
        assertThat(event).as("a delivery").isNotNull();
        return event;
    }

    private void assertBytes(EventEnvelope event) {
        assertThat(event.isBinary()).isTrue();
        assertThat(event.payloadBytes()).isEqualTo(PAYLOAD);
        assertThat(event.contentType()).isEqualTo(AVRO);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(event::payloadJson)
                .withMessage("The payload of event " + event.eventId()
                        + " is application/avro, not JSON; read payloadBytes()");
    }

    private List<String> rows(String expression) {
        return Tables.select(database().pool(), "SELECT " + expression + " FROM " + TABLE + " ORDER BY event_id");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytes_reach_their_listener_from_memory_and_from_the_table(boolean ordered) throws Exception {
        UnaryOperator<OutboxBuilder> settings =
                builder -> ordered ? builder.createTable().ordered() : builder.createTable();
        try (Outbox hot = started(settings)) {
            hot.inTransaction(tx -> {
                hot.write("Placed", PAYLOAD, AVRO);
            });
            assertBytes(next());
            hot.inTransaction(tx -> {
                hot.write("Placed", "k", PAYLOAD, AVRO);
            });
            assertThat(next().aggregateId()).isEqualTo("k");
            hot.inTransaction(tx -> {
                JoinedWriter joined = hot.on(tx);
                joined.write("Placed", PAYLOAD, AVRO);
                joined.write("Placed", "k", PAYLOAD, AVRO);
            });
            assertBytes(next());
            assertBytes(next());
        }
        try (Outbox writer = writer()) {
            writer.inTransaction(tx -> {
                writer.writer().writeAll(List.of(bytes("a"), EventEnvelope.ofJson("Placed", "{\"n\":1}"), bytes("b")));
                writer.writer().enqueue(bytes("c"), DuplicatePolicy.FAIL);
            });
        }
        try (Outbox cold = started(settings)) {
            List<EventEnvelope> found = List.of(next(), next(), next(), next());
            assertThat(found)
                    .filteredOn(event -> !event.isBinary())
                    .singleElement()
                    .satisfies(event -> assertThat(event.payloadJson()).isEqualTo("{\"n\":1}"))
                    .satisfies(event -> assertThat(event.contentType()).isEqualTo("application/json"));
            found.stream().filter(EventEnvelope::isBinary).forEach(this::assertBytes);
            assertThat(cold.health().problems()).isEmpty();
        }
        assertThat(delivered).isEmpty();
    }

    /** What a process of an older version sees of it. */
    @Test
    void the_column_of_the_payload_has_a_text_that_is_json_and_no_object() throws Exception {
        createVersion(OutboxSchema.versions(name()).newest());
        try (Outbox writer = writer()) {
            writer.inTransaction(tx -> {
                writer.write(bytes("a"));
            });
        }

        assertThat(rows("payload"))
                .singleElement()
                .satisfies(text -> assertThat(text)
                        .startsWith("\"(outbox) The payload of this event is bytes")
                        .endsWith("must be upgraded.\"")
                        .doesNotContain("S3CRET"));
        assertThat(rows("content_type")).containsExactly(AVRO);
    }

    @Test
    void a_table_without_the_columns_takes_all_but_bytes_and_says_what_they_need() throws Exception {
        createVersion(WITHOUT_BYTES);
        try (Outbox outbox = started(UnaryOperator.identity())) {
            outbox.inTransaction(tx -> {
                outbox.write("Placed", "{}");
            });
            assertThat(next().payloadJson()).isEqualTo("{}");
            for (List<EventEnvelope> events :
                    List.of(List.of(bytes("a")), List.of(EventEnvelope.ofJson("Placed", "{}"), bytes("b")))) {
                assertThatExceptionOfType(OutboxStoreException.class)
                        .isThrownBy(() -> outbox.inTransaction(tx -> {
                            outbox.writer().writeAll(events);
                        }))
                        .withMessageContaining("is not text, and the table has no columns for it: apply ")
                        .withMessageContaining("V688269.1.08__outbox_bytes.sql from ")
                        .withMessageContaining("--from 7")
                        .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("S3CRET"));
            }
            assertThatExceptionOfType(OutboxStoreException.class)
                    .isThrownBy(() -> outbox.inTransaction(tx -> {
                        outbox.writer().enqueue(bytes("c"), DuplicatePolicy.IGNORE);
                    }))
                    .withMessageContaining("V688269.1.08__outbox_bytes.sql");
            outbox.inTransaction(tx -> {
                outbox.write("Placed", "{\"n\":2}");
            });
            assertThat(next().payloadJson()).isEqualTo("{\"n\":2}");
        }
        assertThat(rows("payload")).hasSize(2);
    }

    @Test
    void in_order_too_bytes_need_their_columns() throws Exception {
        createVersion(WITHOUT_BYTES);
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.create(conn, name() + "-ordered", TABLE);
        }
        try (Outbox outbox = started(OutboxBuilder::ordered)) {
            for (List<EventEnvelope> events : List.of(List.of(bytes("a")), List.of(bytes("a"), bytes("a")))) {
                assertThatExceptionOfType(OutboxStoreException.class)
                        .isThrownBy(() -> outbox.inTransaction(tx -> {
                            outbox.writer().writeAll(events);
                        }))
                        .withMessageContaining("V688269.1.08__outbox_bytes.sql");
            }
        }
    }

    /** A process that has begun on the older version reads bytes as soon as somebody writes them. */
    @Test
    void columns_that_are_added_while_a_process_runs_are_used_without_a_restart() throws Exception {
        createVersion(WITHOUT_BYTES);
        try (Outbox outbox = started(UnaryOperator.identity());
                Outbox writer = writer()) {
            writer.inTransaction(tx -> {
                writer.write("Placed", "{}");
            });
            assertThat(next().isBinary()).isFalse();

            try (Connection conn = database().pool().getConnection()) {
                OutboxSchema.versions(name()).migrate(conn, TABLE, WITHOUT_BYTES, WITHOUT_BYTES + 1);
            }
            writer.inTransaction(tx -> {
                writer.write(bytes("a"));
            });
            assertBytes(next());
            outbox.inTransaction(tx -> {
                outbox.write(bytes("b"));
            });
            assertBytes(next());
        }
    }

    @Test
    void bytes_that_were_dropped_with_their_columns_are_not_delivered_as_something_else() throws Exception {
        createVersion(WITHOUT_BYTES + 1);
        try (Outbox writer = writer()) {
            writer.inTransaction(tx -> {
                writer.write(bytes("a"));
                writer.write("Placed", "{}");
            });
        }
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.versions(name()).migrateDown(conn, TABLE, WITHOUT_BYTES + 1, WITHOUT_BYTES);
        }
        try (Outbox outbox = started(UnaryOperator.identity())) {
            assertThat(next().payloadJson()).isEqualTo("{}");
            assertThat(outbox.deadEvents().query(null, null, 10)).hasSize(1);
        }
        assertThat(delivered).isEmpty();
        assertThat(Tables.select(database().pool(), "SELECT last_error FROM " + TABLE + " WHERE status = 3"))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("Cannot be decoded", "columns payload_bytes"));
    }

    private static List<EventEnvelope> texts(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                .toList();
    }

    private List<String> statements(CountedStatements counted, OutboxStore store, List<EventEnvelope> events)
            throws SQLException {
        try (Connection conn = counted.dataSource().getConnection()) {
            counted.take();
            store.insertBatch(conn, events);
            store.leases().claim(conn, "o", Duration.ofMinutes(5), Duration.ZERO, 100);
            Instant later = Instant.now().plusSeconds(60);
            store.pollPending(conn, later, Duration.ZERO, 100);
            store.claimPending(conn, "p", later, later, Duration.ZERO, 100);
        }
        List<String> all = counted.take();
        Tables.execute(database().pool(), "DELETE FROM " + TABLE);
        return all;
    }

    @Test
    void who_writes_text_pays_nothing_for_the_columns_and_who_writes_bytes_one_statement_for_each_look()
            throws Exception {
        createVersion(WITHOUT_BYTES);
        CountedStatements counted = new CountedStatements(database().pool(), TABLE.table());
        OutboxStore store = database().store(TABLE);
        List<String> before = statements(counted, store, texts(10));
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.versions(name()).migrate(conn, TABLE, WITHOUT_BYTES, WITHOUT_BYTES + 1);
        }

        assertThat(statements(counted, store, texts(10)))
                .isEqualTo(before)
                .noneMatch(sql -> sql.contains("payload_bytes"));

        List<EventEnvelope> mixed = new ArrayList<>(texts(5));
        mixed.add(bytes("a"));
        mixed.add(bytes("b"));
        statements(counted, store, mixed); // asks once whether the columns are there
        List<String> withBytes = statements(counted, store, mixed);
        assertThat(withBytes).filteredOn(sql -> sql.startsWith("INSERT")).hasSize(1);
        assertThat(withBytes)
                .filteredOn(sql -> sql.startsWith("SELECT event_id, payload_bytes"))
                .hasSize(3);
        assertThat(withBytes).hasSize(before.size() + 3);
        assertThat(statements(counted, store, texts(10))).isEqualTo(before);
    }
}
