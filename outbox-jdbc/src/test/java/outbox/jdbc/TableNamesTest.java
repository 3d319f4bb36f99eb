package outbox.jdbc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.jdbc.store.H2OutboxStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TableNamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"outbox_event", "_x", "Org2_Outbox", "A"})
    void a_plain_identifier_is_returned_as_it_is(String name) {
        assertThat(TableNames.validate(name)).isSameAs(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a.b",
                "a\"b",
                "a'b",
                "`a`",
                "1a",
                "a;DROP TABLE x",
                "a--",
                "a/*x*/",
                "tabelle_ü",
                "a\n",
                "a-b",
                "(select 1)"
            })
    void anything_else_is_refused(String name) {
        String message = "Invalid table name \"" + name + "\": it must match [a-zA-Z_][a-zA-Z0-9_]*";
        assertThatThrownBy(() -> TableNames.validate(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> new H2OutboxStore(name)).hasMessage(message);
        assertThatThrownBy(() -> new MySqlEventPurger(name)).hasMessage(message);
        assertThatThrownBy(() -> TableName.of("schema", name)).hasMessage(message);
        assertThatThrownBy(() -> TableName.of(name, "outbox"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Invalid schema name \"" + name + "\"");
    }

    @Test
    void null_is_refused() {
        assertThatThrownBy(() -> TableNames.validate(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new H2OutboxStore(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> TableName.of(null, "x")).isInstanceOf(NullPointerException.class);
    }

    @Test
    void a_qualified_name_stands_in_sql_with_its_schema() {
        assertThat(TableName.of("billing", "org_outbox")).hasToString("billing.org_outbox");
        assertThat(TableName.DEFAULT).hasToString(TableNames.DEFAULT_TABLE).hasToString("outbox_event");
    }
}
