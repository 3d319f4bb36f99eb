package outbox.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The script that has the body of a function in it, and names that differ in where a schema may stand. */
class OutboxSchemaNotifyTest {

    @Test
    void the_function_is_in_the_schema_of_the_table_and_the_trigger_has_no_schema() {
        assertThat(OutboxSchema.script("postgresql-notify", TableName.of("billing", "org_outbox")))
                .contains("FUNCTION billing.org_outbox_notify() RETURNS trigger")
                .contains("pg_notify('billing.org_outbox', '')")
                .contains("TRIGGER org_outbox_notify AFTER INSERT ON billing.org_outbox\n")
                .contains("EXECUTE FUNCTION billing.org_outbox_notify()")
                .doesNotContain("outbox_event");
    }

    @ParameterizedTest
    @ValueSource(strings = {"org_outbox", "outbox_event"})
    void a_table_without_schema_gives_everything_its_plain_name(String table) {
        assertThat(OutboxSchema.script("postgresql-notify", TableName.of(table)))
                .contains("FUNCTION " + table + "_notify() RETURNS trigger")
                .contains("pg_notify('" + table + "', '')")
                .contains("TRIGGER " + table + "_notify AFTER INSERT ON " + table + "\n");
    }

    @Test
    void the_default_name_may_have_a_schema() {
        assertThat(OutboxSchema.script("postgresql-notify", TableName.of("billing", "outbox_event")))
                .contains("FUNCTION billing.outbox_event_notify() RETURNS trigger")
                .contains("pg_notify('billing.outbox_event', '')")
                .contains("TRIGGER outbox_event_notify AFTER INSERT ON billing.outbox_event\n");
    }

    @Test
    void the_body_of_a_function_stays_in_one_piece() {
        List<String> executed = executed("postgresql-notify");

        assertThat(executed).hasSize(2);
        assertThat(executed.get(0))
                .startsWith("CREATE OR REPLACE FUNCTION")
                .contains("BEGIN", "RETURN NULL;")
                .endsWith("END $$");
        assertThat(executed.get(1)).startsWith("CREATE OR REPLACE TRIGGER").endsWith("()");
    }

    @Test
    void a_script_without_bodies_is_run_statement_by_statement() {
        assertThat(executed("postgresql"))
                .hasSize(5)
                .allMatch(sql -> sql.startsWith("CREATE ") && !sql.contains(";") && !sql.contains("--"));
    }

    private static List<String> executed(String script) {
        List<String> executed = new ArrayList<>();
        Statement statement = proxy(Statement.class, executed, null);
        OutboxSchema.create(proxy(Connection.class, executed, statement), script, TableName.DEFAULT);
        return executed;
    }

    private static <T> T proxy(Class<T> type, List<String> executed, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                OutboxSchemaNotifyTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    if (method.getName().equals("execute")) {
                        executed.add((String) args[0]);
                        return false;
                    }
                    return answer;
                }));
    }
}
