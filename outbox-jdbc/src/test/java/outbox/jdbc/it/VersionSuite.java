package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.testservers.catalog.TableCatalog;

import static org.assertj.core.api.Assertions.assertThat;

/** The versions of the table: applied in turn they make what the scripts in one piece make, and each can be taken back. */
abstract class VersionSuite {

    private static final TableName WHOLE = TableName.of("whole_outbox");
    private static final TableName STEPWISE = TableName.of("stepwise_outbox");

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() {
        for (TableName table : List.of(WHOLE, STEPWISE)) {
            Tables.drop(database().pool(), table);
            Tables.drop(database().pool(), table.beside("_node"));
            Tables.drop(database().pool(), table.beside("_pause"));
        }
    }

    private String name() {
        return database().store(TableName.DEFAULT).name();
    }

    private SchemaVersions versions() {
        return OutboxSchema.versions(name());
    }

    private SchemaVersions orderedVersions() {
        return OutboxSchema.versions(name() + "-ordered");
    }

    /** Of the table and of the table of nodes. */
    private List<String> catalog(TableName table) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            List<String> lines = new ArrayList<>(TableCatalog.of(conn, table.table()));
            lines.addAll(TableCatalog.of(conn, table.beside("_node").table()));
            lines.addAll(TableCatalog.of(conn, table.beside("_pause").table()));
            return lines;
        }
    }

    private void createWhole(String... scripts) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            for (String script : scripts) {
                OutboxSchema.create(conn, script, WHOLE);
            }
        }
    }

    private void migrate(SchemaVersions versions, TableName table, int from, int to) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            if (from <= to) {
                versions.migrate(conn, table, from, to);
            } else {
                versions.migrateDown(conn, table, from, to);
            }
        }
    }

    private void insertTwo() throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            for (String id : List.of("e1", "e2")) {
                database()
                        .store(STEPWISE)
                        .insertNew(
                                conn,
                                EventEnvelope.builder("Tick")
                                        .eventId(id)
                                        .payloadJson("{}")
                                        .build());
            }
        }
    }

    @Test
    void versions_in_turn_make_the_table_that_the_script_makes_in_one_piece() throws SQLException {
        createWhole(name());
        for (int version = 1; version <= versions().newest(); version++) {
            migrate(versions(), STEPWISE, version - 1, version);
        }
        assertThat(catalog(STEPWISE)).isEqualTo(catalog(WHOLE)).isNotEmpty();

        createWhole(name() + "-ordered");
        migrate(orderedVersions(), STEPWISE, 0, orderedVersions().newest());
        assertThat(catalog(STEPWISE))
                .isEqualTo(catalog(WHOLE))
                .anyMatch(line -> line.contains("idx_<table>_key") || line.contains("IDX_<table>_KEY"));
    }

    /** Otherwise the test above would show nothing. */
    @Test
    void the_comparison_notices_what_is_missing_from_a_table() throws SQLException {
        createWhole(name());
        migrate(versions(), STEPWISE, 0, versions().newest());
        String alter = "ALTER TABLE " + STEPWISE + " ";
        Map<String, String> damages = Map.of(
                "default", alter + "ALTER COLUMN attempts DROP DEFAULT",
                "index", database().dropIndex("idx_stepwise_outbox_due", STEPWISE.table()),
                "column", alter + "DROP COLUMN tenant_id",
                "table of nodes", "DROP TABLE " + STEPWISE + "_node");
        for (Map.Entry<String, String> damage : damages.entrySet()) {
            List<String> before = catalog(STEPWISE);
            Tables.execute(database().pool(), damage.getValue());
            assertThat(catalog(STEPWISE)).as(damage.getKey()).isNotEqualTo(before);
        }
    }

    @Test
    void each_version_can_be_taken_back_and_every_row_stays_but_for_the_first() throws SQLException {
        for (int version = 1; version <= versions().newest(); version++) {
            dropTables();
            migrate(versions(), WHOLE, 0, version - 1);
            migrate(versions(), STEPWISE, 0, version);
            insertTwo();

            migrate(versions(), STEPWISE, version, version - 1);

            assertThat(catalog(STEPWISE)).as("down from %d", version).isEqualTo(catalog(WHOLE));
            if (version > 1) {
                assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + STEPWISE + " ORDER BY event_id"))
                        .containsExactly("e1", "e2");
                migrate(versions(), STEPWISE, version - 1, versions().newest());
            }
        }
    }

    @Test
    void the_index_of_order_can_be_taken_back() throws SQLException {
        createWhole(name());
        migrate(versions(), STEPWISE, 0, versions().newest());
        migrate(orderedVersions(), STEPWISE, 0, 1);
        assertThat(catalog(STEPWISE)).isNotEqualTo(catalog(WHOLE));

        migrate(orderedVersions(), STEPWISE, 1, 0);

        assertThat(catalog(STEPWISE)).isEqualTo(catalog(WHOLE));
    }

    @Test
    void all_the_way_down_nothing_is_left() throws SQLException {
        migrate(versions(), STEPWISE, 0, versions().newest());

        migrate(versions(), STEPWISE, versions().newest(), 0);

        assertThat(catalog(STEPWISE)).isEmpty();
    }
}
