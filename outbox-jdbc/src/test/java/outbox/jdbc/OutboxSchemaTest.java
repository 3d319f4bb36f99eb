package outbox.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OutboxSchemaTest {

    private static final int NEWEST = 8;

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void the_script_names_the_wanted_table_everywhere(String database) {
        assertThat(OutboxSchema.script(database, TableName.of("billing", "org_outbox")))
                .contains("CREATE TABLE IF NOT EXISTS billing.org_outbox (")
                .contains("idx_org_outbox_due", "idx_org_outbox_finished")
                .doesNotContain("outbox_event");
        assertThat(OutboxSchema.script(database, TableName.DEFAULT))
                .contains("CREATE TABLE IF NOT EXISTS outbox_event (")
                .contains("CHECK (attempts >= 0)");
    }

    @Test
    void a_schema_may_be_called_like_the_default_table() {
        assertThat(OutboxSchema.script("postgresql", TableName.of("outbox_event", "orders")))
                .contains("CREATE TABLE IF NOT EXISTS outbox_event.orders (")
                .contains("CREATE TABLE IF NOT EXISTS outbox_event.orders_node (")
                .contains("idx_orders_due ON outbox_event.orders (");
        assertThat(OutboxSchema.script("postgresql-notify", TableName.of("outbox_event", "orders")))
                .contains("FUNCTION outbox_event.orders_notify()")
                .contains("TRIGGER orders_notify AFTER INSERT ON outbox_event.orders\n")
                .contains("pg_notify('outbox_event.orders', '')");
    }

    @Test
    void an_unknown_database_has_no_script() {
        assertThatThrownBy(() -> OutboxSchema.script("oracle", TableName.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("No schema script for database \"oracle\"");
    }

    @Test
    void an_unknown_database_or_version_has_no_migrations() {
        assertThatThrownBy(() -> OutboxSchema.migrations("oracle", TableName.DEFAULT, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("No schema script for database \"oracle\"");
        assertThatThrownBy(() -> OutboxSchema.migrations("h2", TableName.DEFAULT, NEWEST + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fromVersion must be between 0 (no table yet) and 8 (the newest), was 9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void migrations_name_the_wanted_table_everywhere(String database) {
        assertThat(OutboxSchema.migrations(database, TableName.of("billing", "org_outbox"), 0))
                .hasSize(NEWEST)
                .noneMatch(script -> script.contains("${") || script.contains("outbox_event"))
                .allMatch(script -> script.contains("billing.org_outbox"));
        assertThat(OutboxSchema.migrations(database, TableName.DEFAULT, NEWEST)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void every_version_has_a_way_back_that_begins_with_a_warning(String database) {
        for (String line : List.of(database, database + "-ordered")) {
            SchemaVersions versions = OutboxSchema.versions(line);
            assertThat(versions.downScripts(TableName.of("billing", "org_outbox"), versions.newest(), 0))
                    .hasSize(versions.newest())
                    .allMatch(script -> script.startsWith("-- WARNING: ")
                            && script.contains("Before you apply it: stop ")
                            && script.contains("billing.")
                            && !script.contains("${"));
        }
    }

    /** Liquibase reads the way back from the version itself. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void a_version_rolls_back_what_its_way_back_does(String database) {
        for (String line : List.of(database, database + "-ordered")) {
            SchemaVersions versions = OutboxSchema.versions(line);
            for (int version = 1; version <= versions.newest(); version++) {
                String up = versions.scripts(TableName.DEFAULT, version - 1, version)
                        .get(0);
                String down = versions.downScripts(TableName.DEFAULT, version, version - 1)
                        .get(0);
                assertThat(up.lines()
                                .filter(sql -> sql.startsWith("--rollback "))
                                .map(sql -> sql.substring(11)))
                        .containsExactlyElementsOf(down.lines()
                                .filter(sql -> !sql.isBlank() && !sql.startsWith("--"))
                                .toList());
            }
        }
    }

    @Test
    void the_way_back_must_lead_back() {
        assertThatThrownBy(() -> OutboxSchema.versions("h2").downScripts(TableName.DEFAULT, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("toVersion must be between 0 (no table) and fromVersion 1, was 2");
        assertThatThrownBy(() -> OutboxSchema.versions("h2").scripts(TableName.DEFAULT, 2, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("toVersion must be between fromVersion 2 and 8 (the newest), was 1");
    }

    @Test
    void a_script_that_fails_is_named_with_its_table() throws Exception {
        try (Connection conn = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThatThrownBy(() -> OutboxSchema.create(conn, "h2", TableName.of("nowhere", "outbox_event")))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessage("Cannot create table nowhere.outbox_event from schema/h2.sql");
        }
    }
}
