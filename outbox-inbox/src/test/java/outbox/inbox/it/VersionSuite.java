package outbox.inbox.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.testservers.catalog.TableCatalog;

import static org.assertj.core.api.Assertions.assertThat;

/** The versions of the inbox's table: applied in turn they make what the script in one piece makes, and each can be taken back. */
abstract class VersionSuite {

    private static final TableName WHOLE = TableName.of("whole_record");
    private static final TableName STEPWISE = TableName.of("stepwise_record");

    abstract TestedDatabase database();

    @BeforeEach
    void dropTables() throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            JdbcTemplate.update(conn, "DROP TABLE IF EXISTS " + WHOLE);
            JdbcTemplate.update(conn, "DROP TABLE IF EXISTS " + STEPWISE);
        }
    }

    @Test
    void versions_in_turn_make_the_table_that_the_script_makes_in_one_piece() throws SQLException {
        SchemaVersions versions = InboxSchema.versions(database().dialect());
        try (Connection conn = database().pool().getConnection()) {
            InboxSchema.create(conn, database().dialect(), WHOLE);
            for (int version = 1; version <= versions.newest(); version++) {
                versions.migrate(conn, STEPWISE, version - 1, version);
            }
            List<String> stepwise = TableCatalog.of(conn, STEPWISE.table());
            assertThat(stepwise).isEqualTo(TableCatalog.of(conn, WHOLE.table())).isNotEmpty();

            JdbcTemplate.update(conn, "ALTER TABLE " + STEPWISE + " DROP COLUMN payload");
            assertThat(TableCatalog.of(conn, STEPWISE.table()))
                    .as("the comparison notices what is missing")
                    .isNotEqualTo(stepwise);
        }
    }

    @Test
    void the_way_back_begins_with_a_warning_and_leaves_nothing() throws SQLException {
        SchemaVersions versions = InboxSchema.versions(database().dialect());
        try (Connection conn = database().pool().getConnection()) {
            versions.migrate(conn, STEPWISE, 0, versions.newest());

            versions.migrateDown(conn, STEPWISE, versions.newest(), 0);

            assertThat(TableCatalog.of(conn, STEPWISE.table())).isEmpty();
        }
        assertThat(versions.downScripts(STEPWISE, versions.newest(), 0))
                .hasSize(versions.newest())
                .allMatch(script -> script.startsWith("-- WARNING: ") && script.contains("back the table up"));
    }
}
