package outbox.jdbc.it;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Delivery;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.OutboxWriter;
import outbox.Outcome;
import outbox.WriterHook;
import outbox.dispatch.EventInterceptor;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.PreflightFinding;
import outbox.spi.PayloadTransformer;
import outbox.util.DaemonThreadFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Payloads that lie encrypted in the table. */
@Timeout(90)
abstract class TransformSuite {

    private static final TableName TABLE = TableName.of("secret_outbox");
    private static final String MARKER = "S3CRET-content";
    private static final String JSON = "{\"note\":\"" + MARKER + "\"}";
    private static final byte[] BYTES = ("\0\1" + MARKER).getBytes(StandardCharsets.UTF_8);
    private static final Map<String, String> HEADERS = Map.of("trace", "t-1");

    private final BlockingQueue<EventEnvelope> delivered = new LinkedBlockingQueue<>();

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        Tables.drop(database().pool(), TABLE.beside("_pause"));
        Tables.drop(database().pool(), TABLE.beside("_node"));
        Tables.drop(database().pool(), TABLE);
    }

    private OutboxBuilder describe() {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .createTable()
                .poller(settings -> settings.intervalMs(50))
                .dispatcher(settings -> settings.retryPolicy(attempts -> 10).maxAttempts(2))
                .defaultListener(delivered::add);
    }

    private static Outbox started(OutboxBuilder described) {
        Outbox outbox = described.build();
        outbox.start();
        return outbox;
    }

    private static void write(Outbox outbox, EventEnvelope... events) {
        outbox.inTransaction(tx -> {
            outbox.writer().writeAll(List.of(events));
        });
    }

    private static EventEnvelope.Builder event(String id) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateId("k")
                .tenantId("acme")
                .headers(HEADERS);
    }

    private static EventEnvelope json(String id) {
        return event(id).payloadJson(JSON).build();
    }

    private static EventEnvelope bytes(String id) {
        return event(id).payload(BYTES, "application/avro").build();
    }

    private EventEnvelope next() throws InterruptedException {
        EventEnvelope event = delivered.poll(30, TimeUnit.SECONDS);
        assertThat(event).as("a delivery").isNotNull();
        return event;
    }

    private List<EventEnvelope> next(int events) throws InterruptedException {
        List<EventEnvelope> all = new ArrayList<>();
        while (all.size() < events) {
            all.add(next());
        }
        all.sort(Comparator.comparing(EventEnvelope::eventId));
        return all;
    }

    /** As it was written, wherever it comes from. */
    private static void assertWritten(EventEnvelope event) {
        assertThat(event.headers()).isEqualTo(HEADERS);
        assertThat(event.tenantId()).isEqualTo("acme");
        if (event.eventId().startsWith("bytes")) {
            assertThat(event.contentType()).isEqualTo("application/avro");
            assertThat(event.payloadBytes()).isEqualTo(BYTES);
        } else {
            assertThat(event.payloadJson()).isEqualTo(JSON);
            assertThat(event.contentType()).isEqualTo("application/json");
        }
    }

    /** All that the table shows, with bytes read as Latin 1. */
    private List<String> contents() throws SQLException {
        List<String> contents = new ArrayList<>();
        try (Connection conn = database().pool().getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + TABLE)) {
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    boolean binary = rows.getMetaData().getColumnName(i).equalsIgnoreCase("payload_bytes");
                    contents.add(
                            binary && rows.getBytes(i) != null
                                    ? new String(rows.getBytes(i), StandardCharsets.ISO_8859_1)
                                    : String.valueOf(rows.getString(i)));
                }
            }
        }
        return contents;
    }

    private List<String> rows(String expression, String condition) {
        return Tables.select(database().pool(), "SELECT " + expression + " FROM " + TABLE + " WHERE " + condition);
    }

    private static void awaitThat(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() < end).as("in time").isTrue();
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_lies_in_the_table_is_not_readable_and_listeners_get_what_was_written(boolean ordered) throws Exception {
        UnaryOperator<OutboxBuilder> order = described -> ordered ? described.ordered() : described;
        AesPayloads keys = new AesPayloads("k1");
        try (Outbox hot = started(order.apply(describe().payloadTransformer(keys)))) {
            write(hot, json("json-1"));
            assertWritten(next());
            write(hot, bytes("bytes-1"), json("json-2"));
            next(2).forEach(TransformSuite::assertWritten);
        }
        assertThat(keys.restored.get()).as("restored from memory").isZero();
        try (Outbox writer = describe().payloadTransformer(keys).writerOnly().build()) {
            write(writer, json("json-3"), bytes("bytes-2"));
            writer.inTransaction(tx -> {
                writer.on(tx).write(bytes("bytes-3"));
                writer.writer().enqueue(json("json-4"), DuplicatePolicy.FAIL);
            });
        }
        assertThat(contents()).noneMatch(text -> text.contains("S3CRET"));
        assertThat(rows("event_id", "payload_bytes IS NOT NULL")).hasSize(7);
        assertThat(rows("headers", "1 = 1"))
                .allSatisfy(headers -> assertThat(headers.replace(" ", ""))
                        .contains("\"trace\":\"t-1\"", "\"outbox-payload-key\":\"k1\""));

        try (Outbox cold = started(order.apply(describe().payloadTransformer(keys)))) {
            next(4).forEach(TransformSuite::assertWritten);
            assertThat(cold.health().problems()).isEmpty();
        }
        assertThat(keys.restored.get()).isEqualTo(4);
        assertThat(delivered).isEmpty();
    }

    @Test
    void several_keys_are_read_at_once_and_what_was_left_alone_or_written_before_is_as_it_was() throws Exception {
        try (Outbox before = describe().writerOnly().build();
                Outbox old = describe()
                        .payloadTransformer(new AesPayloads("k1"))
                        .writerOnly()
                        .build();
                Outbox rotated = describe()
                        .payloadTransformer(new AesPayloads("k2", "k1"))
                        .writerOnly()
                        .build()) {
            write(before, json("json-0"), bytes("bytes-0"));
            write(old, json("json-1"), bytes("bytes-1"));
            write(rotated, json("json-2"), bytes("bytes-2"));
            write(
                    rotated,
                    EventEnvelope.builder("Plain").payloadJson("{\"n\":1}").build());
        }
        assertThat(rows("payload", "event_type = 'Plain'")).containsExactly("{\"n\":1}");
        try (Outbox reader = started(describe().payloadTransformer(new AesPayloads("k2", "k1")))) {
            List<EventEnvelope> all = next(7);
            assertThat(all)
                    .filteredOn(event -> !event.eventType().equals("Plain"))
                    .allSatisfy(TransformSuite::assertWritten);
            assertThat(reader.isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_event_whose_key_is_not_known_waits_without_using_up_attempts(boolean hasTransformer) throws Exception {
        try (Outbox writer = describe()
                .payloadTransformer(new AesPayloads("k1"))
                .writerOnly()
                .build()) {
            write(writer, json("json-1"), bytes("bytes-1"));
        }
        OutboxBuilder without = hasTransformer ? describe().payloadTransformer(new AesPayloads("k2")) : describe();
        List<String> interceptors = new ArrayList<>();
        try (Outbox reader = started(without.dispatcher(settings ->
                settings.interceptor(EventInterceptor.after((event, error) -> interceptors.add(event.eventId())))))) {
            write(reader, event("json-2").payloadJson(JSON).build());
            assertWritten(next());
            awaitThat(() -> rows("event_id", "status = 2").size() == 2);
            assertThat(rows("CONCAT(attempts, '|', last_error)", "status = 2"))
                    .allSatisfy(row -> assertThat(row)
                            .startsWith("0|")
                            .contains("is transformed with the key \"k1\"")
                            .contains(
                                    hasTransformer
                                            ? "the payloadTransformer of this process does not know it"
                                            : "this process has no payloadTransformer"));
            assertThat(reader.listeners())
                    .allSatisfy(listener -> assertThat(listener.isDelivering()).isTrue());
        }
        assertThat(interceptors).containsExactly("json-2");

        // The minute is over.
        Tables.execute(database().pool(), "UPDATE " + TABLE + " SET available_at = created_at WHERE status = 2");
        try (Outbox reader = started(describe().payloadTransformer(new AesPayloads("k2", "k1")))) {
            next(2).forEach(TransformSuite::assertWritten);
            assertThat(reader.isRunning()).isTrue();
        }
        assertThat(delivered).isEmpty();
    }

    @Test
    void a_payload_that_was_tampered_with_is_retried_and_dead_and_tells_no_content() throws Exception {
        AesPayloads keys = new AesPayloads("k1");
        try (Outbox writer = describe().payloadTransformer(keys).writerOnly().build()) {
            write(
                    writer,
                    json("json-1"),
                    event("json-2").aggregateId("l").payloadJson(JSON).build());
        }
        // The bytes of another event do not pass for its own, because its id is part of what is sealed.
        String bytes =
                "(SELECT payload_bytes FROM (SELECT payload_bytes FROM " + TABLE + " WHERE event_id = 'json-2') other)";
        Tables.execute(
                database().pool(), "UPDATE " + TABLE + " SET payload_bytes = " + bytes + " WHERE event_id = 'json-1'");
        try (Outbox reader = started(describe().payloadTransformer(keys))) {
            assertThat(next().eventId()).isEqualTo("json-2");
            awaitThat(() -> rows("event_id", "status = 3").size() == 1);
            assertThat(reader.isRunning()).isTrue();
        }
        assertThat(rows("last_error", "status = 3"))
                .singleElement()
                .satisfies(error ->
                        assertThat(error).contains("AEADBadTagException").doesNotContain("S3CRET"));
        assertThat(delivered).isEmpty();
    }

    private enum Kind {
        ASYNC,
        BATCH,
        OWN_THREADS
    }

    private Listener listener(Kind kind) {
        return switch (kind) {
            case ASYNC ->
                Listener.async((event, delivery) -> {
                    delivered.add(event);
                    return CompletableFuture.completedFuture(Outcome.done());
                });
            case BATCH ->
                Listener.batch(10, Duration.ofMillis(20), (List<Delivery> batch) -> {
                    batch.stream().map(Delivery::event).forEach(delivered::add);
                    return Outcome.allDone(batch);
                });
            case OWN_THREADS ->
                Listener.of((EventEnvelope event) -> {
                            delivered.add(event);
                        })
                        .threads(new DaemonThreadFactory("own-"), 2);
        };
    }

    @ParameterizedTest
    @EnumSource
    void every_kind_of_listener_gets_what_was_written_and_nothing_that_cannot_be_restored(Kind kind) throws Exception {
        try (Outbox writer = describe()
                        .payloadTransformer(new AesPayloads("k1"))
                        .writerOnly()
                        .build();
                Outbox other = describe()
                        .payloadTransformer(new AesPayloads("k2"))
                        .writerOnly()
                        .build()) {
            write(writer, json("json-1"), bytes("bytes-1"));
            write(other, json("unknown"));
            write(writer, json("json-2"));
        }
        OutboxBuilder described = JdbcOutbox.builder(database().pool(), TABLE)
                .poller(settings -> settings.intervalMs(50))
                .payloadTransformer(new AesPayloads("k1"))
                .listener("Placed", listener(kind));
        try (Outbox reader = started(described)) {
            next(3).forEach(TransformSuite::assertWritten);
            awaitThat(() -> rows("event_id", "status = 1").size() == 3
                    && rows("event_id", "status = 2 AND attempts = 0").size() == 1);
            assertThat(reader.isRunning()).isTrue();
        }
        assertThat(rows("event_id", "status = 2")).containsExactly("unknown");
        assertThat(delivered).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_cannot_be_transformed_is_not_written_nor_anything_beside_it(boolean ordered) {
        PayloadTransformer failing = new PayloadTransformer() {
            @Override
            public Transformed transform(byte[] payload, EventEnvelope event) throws GeneralSecurityException {
                if (event.eventId().equals("bad")) {
                    throw new GeneralSecurityException("the vault is sealed");
                }
                return Transformed.of(payload, "none");
            }

            @Override
            public byte[] restore(byte[] stored, String keyId, EventEnvelope event) {
                return stored;
            }
        };
        OutboxBuilder described = describe().payloadTransformer(failing);
        try (Outbox outbox = started(ordered ? described.ordered() : described)) {
            outbox.inTransaction(tx -> {
                assertThatExceptionOfType(OutboxException.class)
                        .isThrownBy(() -> outbox.writer().writeAll(List.of(json("json-1"), json("bad"))))
                        .withMessageContaining("Cannot transform the payload of EventEnvelope[bad")
                        .withMessageContaining("nothing was written")
                        .withRootCauseInstanceOf(GeneralSecurityException.class);
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> outbox.write(event("reserved")
                                .headers(Map.of(PayloadTransformer.KEY_HEADER, "x"))
                                .payloadJson(JSON)
                                .build()))
                        .withMessageContaining("has the header \"outbox-payload-key\"");
            });
        }
        assertThat(rows("event_id", "1 = 1")).isEmpty();
        assertThat(delivered).isEmpty();
    }

    @Test
    void a_writer_that_was_made_by_hand_transforms_with_a_hook() throws Exception {
        describe().build().close();
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        JdbcTransactionManager transactions = new JdbcTransactionManager(
                new DataSourceConnectionProvider(database().pool()), context);
        OutboxWriter writer =
                new OutboxWriter(context, database().store(TABLE), WriterHook.transforming(new AesPayloads("k1")));
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            writer.write(json("json-1"));
            tx.commit();
        }

        assertThat(contents()).noneMatch(text -> text.contains("S3CRET"));
        try (Outbox reader = started(describe().payloadTransformer(new AesPayloads("k1")))) {
            assertWritten(next());
            assertThat(reader.isRunning()).isTrue();
        }
    }

    @Test
    void a_table_without_the_columns_is_refused_at_the_start_and_by_a_write() throws Exception {
        String name = database().store(TABLE).name();
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.versions(name).migrate(conn, TABLE, 0, 7);
        }
        OutboxBuilder described = JdbcOutbox.builder(database().pool(), TABLE).defaultListener(delivered::add);
        try (Outbox plain = described.build()) {
            assertThat(plain.preflight().findings()).isEmpty();
        }
        described.payloadTransformer(new AesPayloads("k1"));
        try (Outbox writer = described.writerOnly().build()) {
            assertThat(writer.preflight().findings())
                    .extracting(PreflightFinding::message)
                    .singleElement()
                    .satisfies(message -> assertThat(message)
                            .contains("payload_bytes", "content_type", "which the payload transformer needs")
                            .contains("V688269.1.08__outbox_bytes.sql"));
            assertThatExceptionOfType(OutboxStoreException.class)
                    .isThrownBy(() -> write(writer, json("json-1")))
                    .withMessageContaining("V688269.1.08__outbox_bytes.sql");
            assertThatExceptionOfType(OutboxException.class).isThrownBy(writer::start);
        }
        assertThat(Stream.of(rows("event_id", "1 = 1"))).allMatch(List::isEmpty);
    }
}
