package outbox.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class OutboxSchemaTest {

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void the_script_names_the_wanted_table_everywhere(String database) {
        assertThat(OutboxSchema.script(database, TableName.of("billing", "org_outbox")))
                .contains("CREATE TABLE IF NOT EXISTS billing.org_outbox (")
                .contains("idx_org_outbox_pending", "idx_org_outbox_finished")
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
                .contains("idx_orders_pending ON outbox_event.orders (");
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
                .hasMessage("No schema script for database \"oracle/V1__outbox_table\"");
        assertThatThrownBy(() -> OutboxSchema.migrations("h2", TableName.DEFAULT, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fromVersion must be between 0 (no table yet) and 2 (the newest), was 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void migrations_name_the_wanted_table_everywhere(String database) {
        assertThat(OutboxSchema.migrations(database, TableName.of("billing", "org_outbox"), 0))
                .hasSize(2)
                .noneMatch(script -> script.contains("${") || script.contains("outbox_event"))
                .allMatch(script -> script.contains("billing.org_outbox"));
        assertThat(OutboxSchema.migrations(database, TableName.DEFAULT, 2)).isEmpty();
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
