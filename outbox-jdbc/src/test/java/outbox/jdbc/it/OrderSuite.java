package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.Standing;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Order where databases differ: their schema, their isolation levels, their plans. */
@Tag("locale")
abstract class OrderSuite {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");

    abstract TestedDatabase database();

    private String name() {
        return database().store(TableName.DEFAULT).name();
    }

    private static OrderedStore order(JdbcStoreFixture table) {
        OrderedStore ordered = table.store().ordered();
        assertThat(ordered).isNotNull();
        return ordered;
    }

    private static EventEnvelope event(String id, String key, Instant at) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .aggregateType("Clock")
                .aggregateId(key)
                .occurredAt(at)
                .payloadJson("{}")
                .build();
    }

    private static EventEnvelope event(String id, String key) {
        return event(id, key, CREATED);
    }

    private static List<String> claim(Connection conn, JdbcStoreFixture table, String owner, int limit) {
        return order(table).claim(conn, owner, TIMEOUT, Duration.ZERO, limit).runs().stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event().eventId())
                .toList();
    }

    @Test
    void a_table_without_the_column_is_refused_and_the_script_named() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "unnumbered_outbox");
        Tables.execute(database().pool(), "DROP TABLE unnumbered_outbox");
        Tables.execute(database().pool(), Tables.specified(database(), "unnumbered_outbox"));
        try (Connection conn = database().pool().getConnection()) {
            assertThatThrownBy(() -> order(table).checkSchema(conn))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage(
                            "Table \"unnumbered_outbox\" is missing column \"seq\": apply outbox-schema/%1$s/V688269.1.02__outbox_sequence_and_nodes.sql from outbox-jdbc"
                                    + " (also printed by ./outbox schema --db %1$s --table unnumbered_outbox --from 1, and applied by"
                                    + " OutboxSchema.migrate(conn, \"%1$s\", table, 1));"
                                    + " an index that begins with [aggregate_type, aggregate_id]: apply schema/%1$s-ordered.sql"
                                    + " from outbox-jdbc",
                            name());
            assertThatCode(() -> table.store().checkSchema(conn)).doesNotThrowAnyException();
        }
    }

    @Test
    void a_table_without_the_index_is_refused_and_the_script_named() throws SQLException {
        TableName name = TableName.of("unindexed_outbox");
        Tables.drop(database().pool(), name);
        JdbcStoreFixture table = Tables.fixture(database(), name);
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.create(conn, name(), name);
            assertThatThrownBy(() -> order(table).checkSchema(conn))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage(
                            "Table \"unindexed_outbox\" is missing an index that begins with [aggregate_type, aggregate_id]:"
                                    + " apply schema/%s-ordered.sql from outbox-jdbc",
                            name());
            OutboxSchema.create(conn, name() + "-ordered", name);
            assertThatCode(() -> order(table).checkSchema(conn)).doesNotThrowAnyException();
        }
    }

    @Test
    void rows_that_were_there_before_the_column_are_in_the_order_that_the_version_says_and_before_new_ones()
            throws SQLException {
        TableName name = TableName.of("numbered_outbox");
        Tables.drop(database().pool(), name);
        Tables.execute(database().pool(), Tables.specified(database(), name.table()));
        JdbcStoreFixture table = Tables.fixture(database(), name);
        try (Connection conn = database().pool().getConnection()) {
            table.store()
                    .insertBatch(
                            conn,
                            List.of(
                                    event("b", "k", CREATED.plusSeconds(2)),
                                    event("c", "k", CREATED.plusSeconds(1)),
                                    event("a", "k", CREATED.plusSeconds(3))));
            OutboxSchema.migrate(conn, name(), name, 1);
            OutboxSchema.create(conn, name() + "-ordered", name);
            table.store().insertBatch(conn, List.of(event("new", "k", CREATED)));

            assertThat(claim(conn, table, "owner", 10))
                    .containsExactlyElementsOf(
                            database().numbersOldRowsByTime()
                                    ? List.of("c", "b", "a", "new")
                                    : List.of("a", "b", "c", "new"));
        }
    }

    @Test
    void a_table_in_a_schema_of_its_own_keeps_order() throws SQLException {
        String schema = "orders_" + Long.toString(System.nanoTime(), 36);
        Tables.execute(database().pool(), "CREATE SCHEMA " + schema);
        TableName name = TableName.of(schema, "org_outbox");
        try (Connection conn = database().pool().getConnection()) {
            OutboxSchema.create(conn, name(), name);
            OutboxSchema.create(conn, name() + "-ordered", name);
            JdbcStoreFixture table = Tables.fixture(database(), name);

            assertThatCode(() -> order(table).checkSchema(conn)).doesNotThrowAnyException();
            order(table).insert(conn, List.of(event("a", "k")), "other");
            order(table).insert(conn, List.of(event("b", "k")), "owner");
            assertThat(order(table).isFirst(conn, "b")).isFalse();
            assertThat(order(table).blockedKeys(conn, 10)).isEmpty();
            assertThat(claim(conn, table, "third", 10)).isEmpty();
        } finally {
            Tables.execute(
                    database().pool(),
                    "DROP TABLE " + name,
                    "DROP TABLE " + name + "_node",
                    "DROP TABLE " + name + "_pause",
                    "DROP SCHEMA " + schema);
        }
    }

    /** As of a transaction that waited for the lock on its aggregate: it may see the past, but must not decide by it. */
    @Test
    void an_insert_in_a_transaction_that_sees_the_past_is_never_wrongly_the_first() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "past_outbox");
        try (Connection late = database().pool().getConnection();
                Connection early = database().pool().getConnection()) {
            late.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            late.setAutoCommit(false);
            table.store().pollPending(late, CREATED, Duration.ZERO, 1); // begins to see
            order(table).insert(early, List.of(event("a", "k")), "other");

            List<Standing> standings = order(table).insert(late, List.of(event("b", "k")), "owner");
            late.commit();
            late.setAutoCommit(true);
            late.setTransactionIsolation(early.getTransactionIsolation());

            assertThat(standings).doesNotContain(Standing.FIRST);
            assertThat(order(table).isFirst(early, "b")).isFalse();
        }
    }

    @Test
    void events_of_a_key_are_found_through_its_index() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "keyed_outbox");
        try (Connection conn = database().pool().getConnection()) {
            table.store()
                    .insertBatch(
                            conn,
                            IntStream.range(0, 20_000)
                                    .mapToObj(i -> event(String.format(Locale.ROOT, "done%06d", i), "k" + i % 500))
                                    .toList());
            Tables.execute(database().pool(), "UPDATE keyed_outbox SET status = 1, done_at = created_at");
            table.store()
                    .insertBatch(
                            conn,
                            IntStream.range(0, 2_000)
                                    .mapToObj(i -> event(String.format(Locale.ROOT, "new%06d", i), "k" + i % 500))
                                    .toList());
            Tables.execute(database().pool(), database().analyze("keyed_outbox"));
            ExplainingConnection explaining = new ExplainingConnection(conn);
            List<String> plans = new ArrayList<>();

            order(table).isFirst(explaining.connection(), "new001999");
            plans.add(explaining.plans().get(0));
            order(table).claim(explaining.connection(), "owner", TIMEOUT, Duration.ZERO, 100);
            String oldest = explaining.plans().get(1).toLowerCase(Locale.ROOT);
            plans.add(explaining.plans().get(2));

            assertThat(oldest).contains("idx_keyed_outbox_due");
            assertThat(plans)
                    .allSatisfy(plan -> assertThat(plan.toLowerCase(Locale.ROOT))
                            .contains("idx_keyed_outbox_key")
                            .doesNotContain("tablescan", "seq scan"));
        }
    }
}
