package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.dispatch.Ordering;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.model.EventStatus;
import outbox.spi.OutboxStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables that are not there, lack something, have another name or lie in another schema. */
@Tag("locale")
abstract class SchemaSuite {

    abstract TestedDatabase database();

    private String name() {
        return database().store(TableName.DEFAULT).name();
    }

    @Test
    void a_missing_table_is_named_with_its_script_when_a_poller_starts() {
        AbstractJdbcOutboxStore store = database().store(TableName.of("nowhere_outbox"));
        try (Node node = new Node(database().pool(), store)) {
            assertThatThrownBy(node.poller::start)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage("Table \"nowhere_outbox\" is missing: apply schema/%s.sql from outbox-jdbc"
                            .formatted(name()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_table_that_is_spelt_differently_is_not_called_missing_without_a_word_of_it(boolean autoCommit)
            throws SQLException {
        String quote = database().quote();
        String spelt = "Spelt_Outbox";
        Tables.execute(
                database().pool(),
                "DROP TABLE IF EXISTS " + quote + spelt + quote,
                "CREATE TABLE " + quote + spelt + quote + " (event_id VARCHAR(36) PRIMARY KEY)");
        try (Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(autoCommit);
            TableName name = TableName.of("spelt_OUTBOX");
            String means = name().equals("h2")
                    ? "SPELT_OUTBOX"
                    : name().equals("postgresql") ? "spelt_outbox" : "spelt_OUTBOX";
            assertThatThrownBy(() -> database().store(name).checkSchema(conn))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage(
                            "Table \"spelt_OUTBOX\" is missing: there is \"Spelt_Outbox\", but the name is written without"
                                    + " quotes and then means \"" + means + "\"; rename that table to " + means
                                    + "; or apply schema/" + name() + ".sql from outbox-jdbc");
            if (!autoCommit) {
                conn.rollback();
            }
            conn.setAutoCommit(true);
        } finally {
            Tables.execute(database().pool(), "DROP TABLE " + quote + spelt + quote);
        }
    }

    @Test
    void a_missing_right_is_not_called_a_missing_table() throws SQLException {
        Tables.shipped(database(), "denied_outbox");
        String user = "denied_user";
        Tables.execute(database().pool(), database().createUser(user, "Denied-1-Password"));
        try (Connection conn = DriverManager.getConnection(database().plainUrl(), user, "Denied-1-Password")) {
            assertThatThrownBy(() ->
                            database().store(TableName.of("denied_outbox")).checkSchema(conn))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageStartingWith(
                            "Table \"denied_outbox\" may not be read by this user of the database (SQLState ")
                    .hasMessageEndingWith("): grant SELECT, INSERT, UPDATE and DELETE on it");
        } finally {
            Tables.execute(database().pool(), database().dropUser(user));
        }
    }

    @Test
    void a_payload_that_is_not_json_is_named_with_its_event_and_not_quoted() throws SQLException {
        OutboxStore store = Tables.shipped(database(), "json_outbox").store();
        EventEnvelope bad = EventEnvelope.builder("Tick")
                .eventId("e-bad")
                .payloadJson("{\"secret\":MARKER}")
                .build();
        try (Connection conn = database().pool().getConnection()) {
            if (!database().enforcesChecks()) {
                store.insertNew(conn, bad);
                return;
            }
            assertThatThrownBy(() -> store.insertNew(conn, bad))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageStartingWith("Cannot insert 1 event(s) in table json_outbox: ")
                    .hasMessageContaining("the payload of event e-bad is not JSON")
                    .hasMessageNotContaining("MARKER");
            assertThatThrownBy(() -> store.insertBatch(
                            conn, List.of(event("a", "2026-01-01T00:00:00Z"), bad, event("c", "2026-01-01T00:00:00Z"))))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("the payload of one of the events a, e-bad, c is not JSON");
            assertThatThrownBy(() -> store.leases().insertLeased(conn, List.of(bad), "owner"))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("the payload of event e-bad is not JSON");
        }
    }

    @Test
    void names_derived_from_a_long_table_name_stay_within_the_limit_and_different() throws SQLException {
        String beginning = "a_table_with_a_name_that_is_as_long_as_postgresql_allows_it_to";
        TableName one = TableName.of(beginning + "1");
        TableName other = TableName.of(beginning + "2");
        try (Connection conn = database().pool().getConnection()) {
            for (TableName name : List.of(one, other)) {
                Tables.drop(database().pool(), name);
                Tables.drop(database().pool(), name.beside("_node"));
                Tables.drop(database().pool(), name.beside("_pause"));
                OutboxSchema.create(conn, name(), name);
                OutboxSchema.create(conn, name() + "-ordered", name);
                AbstractJdbcOutboxStore store = database().store(name);
                store.checkSchema(conn);
                store.ordered().checkSchema(conn);
                store.leases().heartbeat(conn, "node-of-" + name);
                // A script that left an index out because of its name would have left its plan to chance.
                assertThat(indexesOf(conn, name))
                        .hasSizeGreaterThanOrEqualTo(4)
                        .allMatch(index -> index.length() <= 63);
            }
            assertThat(database().store(one).leases().nodes(conn)).hasSize(1);
            Tables.drop(database().pool(), one);
            Tables.drop(database().pool(), one.beside("_node"));
            Tables.drop(database().pool(), one.beside("_pause"));
            for (String sql : OutboxSchema.migrations(name(), one, 0)) {
                assertThat(sql).doesNotContain(beginning + "1_");
            }
            OutboxSchema.migrate(conn, name(), one, 0);
            database().store(one).leases().heartbeat(conn, "upgraded");
        } finally {
            for (TableName name : List.of(one, other)) {
                Tables.drop(database().pool(), name);
                Tables.drop(database().pool(), name.beside("_node"));
                Tables.drop(database().pool(), name.beside("_pause"));
            }
        }
    }

    private static Set<String> indexesOf(Connection conn, TableName table) throws SQLException {
        Set<String> names = new HashSet<>();
        boolean upper = conn.getMetaData().storesUpperCaseIdentifiers();
        String stored = upper ? table.table().toUpperCase(Locale.ROOT) : table.table();
        try (ResultSet rows =
                conn.getMetaData().getIndexInfo(conn.getCatalog(), conn.getSchema(), stored, false, true)) {
            while (rows.next()) {
                String name = rows.getString("INDEX_NAME");
                if (name != null) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    @Test
    void missing_columns_are_named_with_their_script_when_a_poller_starts() {
        JdbcStoreFixture table = Tables.shipped(database(), "old_outbox");
        Tables.execute(
                database().pool(),
                "ALTER TABLE old_outbox DROP COLUMN locked_by",
                "ALTER TABLE old_outbox DROP COLUMN tenant_id");
        try (Node node = new Node(database().pool(), table.store())) {
            assertThatThrownBy(node.poller::start)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageMatching(
                            "Table \"old_outbox\" is missing column \"tenant_id\", \"locked_by\", which all versions have: ALTER TABLE"
                                    + " old_outbox ADD COLUMN tenant_id VARCHAR\\(64\\), ADD COLUMN locked_by VARCHAR\\(128\\), as in"
                                    + " schema/" + name()
                                    + ".sql from outbox-jdbc, which itself changes nothing in a table that exists");
        }
    }

    @Test
    void everything_that_order_lacks_is_named_at_once_when_a_poller_starts() {
        TableName name = TableName.of("poor_outbox");
        Tables.drop(database().pool(), name);
        Tables.execute(
                database().pool(),
                Tables.specified(database(), "poor_outbox"),
                "ALTER TABLE poor_outbox DROP COLUMN tenant_id");
        try (Node node = new Node(
                database().pool(),
                database().store(name),
                builder -> builder.ordering(Ordering.PER_AGGREGATE),
                builder -> builder.claimLocking(Duration.ofMinutes(5)))) {
            assertThatThrownBy(node.poller::start)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage(
                            "Table \"poor_outbox\" is missing column \"tenant_id\", which all versions have: ALTER TABLE poor_outbox"
                                    + " ADD COLUMN tenant_id VARCHAR(64), as in schema/%1$s.sql from outbox-jdbc, which itself changes nothing"
                                    + " in a table that exists;"
                                    + " column \"seq\": apply outbox-schema/%1$s/V688269.1.02__outbox_sequence_and_nodes.sql from outbox-jdbc"
                                    + " (also printed by ./outbox schema --db %1$s --table poor_outbox --from 1, and applied by"
                                    + " OutboxSchema.migrate(conn, \"%1$s\", table, 1));"
                                    + " an index that begins with [aggregate_type, aggregate_id]: apply schema/%1$s-ordered.sql"
                                    + " from outbox-jdbc",
                            name());
        }
    }

    @Test
    void a_table_of_the_first_version_is_upgraded_with_its_rows_in_place() throws SQLException {
        TableName name = TableName.of("version_outbox");
        Tables.drop(database().pool(), name);
        Tables.drop(database().pool(), TableName.of("version_outbox_node"));
        Tables.drop(database().pool(), TableName.of("version_outbox_pause"));
        try (Connection conn = database().pool().getConnection()) {
            for (String sql : OutboxSchema.migrations(name(), name, 0)
                    .get(0)
                    .replaceAll("(?m)^\\s*--.*$", "")
                    .split(";", -1)) {
                if (!sql.isBlank()) {
                    Tables.execute(database().pool(), sql);
                }
            }
            AbstractJdbcOutboxStore before = database().store(name);
            before.insertBatch(conn, List.of(event("b", "2026-01-02T00:00:00Z"), event("a", "2026-01-01T00:00:00Z")));
            assertThat(before.insertOnce(conn, List.of(event("b", "2026-01-01T00:00:00Z")), DuplicatePolicy.IGNORE))
                    .containsExactly(WriteReceipt.alreadyThere("b", OptionalLong.empty()));

            OutboxSchema.migrate(conn, name(), name, 1);
            OutboxSchema.create(conn, name() + "-ordered", name);
            OutboxSchema.create(conn, name() + "-tenant", name);

            AbstractJdbcOutboxStore after = database().store(name);
            after.ordered().checkSchema(conn);
            List<WriteReceipt> receipts = after.insertOnce(
                    conn,
                    List.of(
                            event("a", "2026-01-01T00:00:00Z"),
                            event("b", "2026-01-01T00:00:00Z"),
                            event("c", "2026-01-01T00:00:00Z")),
                    DuplicatePolicy.IGNORE);
            assertThat(receipts).extracting(WriteReceipt::alreadyThere).containsExactly(true, true, false);
            assertThat(receipts)
                    .extracting(receipt -> receipt.sequence().orElseThrow())
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(after.leases().nodes(conn)).isEmpty();
        }
    }

    @Test
    void the_script_can_run_twice_and_its_table_passes_the_check() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "twice_outbox");
        try (Connection conn = database().pool().getConnection()) {
            assertThatCode(() -> OutboxSchema.create(conn, name(), TableName.of("twice_outbox")))
                    .doesNotThrowAnyException();
            assertThatCode(() -> table.store().checkSchema(conn)).doesNotThrowAnyException();
        }
    }

    @Test
    void a_table_in_a_schema_of_its_own_works_from_insert_to_purge() throws SQLException {
        String schema = "billing_" + Long.toString(System.nanoTime(), 36);
        Tables.execute(database().pool(), "CREATE SCHEMA " + schema);
        try (Connection conn = database().pool().getConnection()) {
            TableName name = TableName.of(schema, "org_outbox");
            OutboxSchema.create(conn, name(), name);
            JdbcStoreFixture table = Tables.fixture(database(), name);
            Instant now = Instant.now();

            table.store()
                    .insertNew(
                            conn,
                            EventEnvelope.builder("Paid")
                                    .eventId("e1")
                                    .payloadJson("{}")
                                    .build());
            assertThat(table.store().claimPending(conn, "owner", now.plusSeconds(1), now, Duration.ZERO, 5))
                    .hasSize(1);
            assertThat(table.store().markDone(conn, "e1")).isEqualTo(1);
            assertThat(table.purger().purge(conn, now.plusSeconds(600), 5)).isEqualTo(1);
        } finally {
            Tables.execute(
                    database().pool(),
                    "DROP TABLE " + schema + ".org_outbox",
                    "DROP TABLE " + schema + ".org_outbox_node",
                    "DROP TABLE " + schema + ".org_outbox_pause",
                    "DROP SCHEMA " + schema);
        }
    }

    @Test
    void a_finished_row_without_end_time_is_purged_by_its_creation_time() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "legacy_outbox");
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertNew(conn, event("old", "2020-01-01T00:00:00Z"));
            table.store().insertNew(conn, event("young", "2026-01-01T00:00:00Z"));
            table.store().insertNew(conn, event("pending", "2020-01-01T00:00:00Z"));
            Tables.execute(
                    database().pool(),
                    "UPDATE legacy_outbox SET status = 3, done_at = NULL WHERE event_id IN ('old', 'young')");

            assertThat(table.purger().purge(conn, Instant.parse("2021-01-01T00:00:00Z"), 10))
                    .isEqualTo(1);
        }
        assertThat(table.find("old")).isNull();
        assertThat(table.find("young")).isNotNull();
        assertThat(table.find("pending")).isNotNull();
    }

    @Test
    void too_long_values_are_refused_before_the_database_is_asked() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "outbox_event");
        try (Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(false);
            EventEnvelope tooLong = EventEnvelope.builder("Paid")
                    .eventId("e1")
                    .tenantId("t".repeat(65))
                    .payloadJson("{}")
                    .build();

            assertThatThrownBy(() -> table.store().insertNew(conn, tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tenantId must be at most 64 characters to fit table outbox_event, was 65: \"%s\""
                            .formatted("t".repeat(65)));
            // The transaction is still good.
            table.store().insertNew(conn, event("e2", "2026-01-01T00:00:00Z"));
            conn.commit();
            conn.setAutoCommit(true);
        }
        assertThat(table.find("e2")).isNotNull();
    }

    @Test
    void ids_that_differ_only_in_case_are_different_events() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "outbox_event");
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertNew(conn, event("abc", "2026-01-01T00:00:00Z"));
            table.store().insertNew(conn, event("ABC", "2026-01-01T00:00:00Z"));

            assertThat(table.store().markDone(conn, "ABC")).isEqualTo(1);
        }
        assertThat(table.find("abc").status()).isEqualTo(EventStatus.NEW);
    }

    @Test
    void the_dialect_is_detected_from_the_server() {
        assertThat(JdbcOutboxStores.detect(database().pool()).name()).isEqualTo(name());
    }

    private static EventEnvelope event(String id, String occurredAt) {
        return EventEnvelope.builder("Paid")
                .eventId(id)
                .occurredAt(Instant.parse(occurredAt))
                .payloadJson("{}")
                .build();
    }
}
