package outbox.schemacommand;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SchemaCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        return SchemaCommand.run(
                List.of(args),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "mariadb", "h2", "PostgreSQL"})
    void the_script_of_a_database_is_printed_for_the_table(String database) {
        assertThat(run("--db", database, "--table", "org_outbox")).isZero();
        assertThat(printed())
                .contains("CREATE TABLE IF NOT EXISTS org_outbox (", "seq ")
                .doesNotContain("outbox_event", "idx_org_outbox_key");
        assertThat(err.size()).isZero();
    }

    @Test
    void what_is_asked_for_in_addition_is_printed_too() {
        run("--db", "postgresql", "--table", "billing.org_outbox", "--ordered", "--tenant-index", "--notify");

        assertThat(printed())
                .contains("CREATE TABLE IF NOT EXISTS billing.org_outbox (")
                .contains("idx_org_outbox_key ON billing.org_outbox (")
                .contains("idx_org_outbox_tenant ON billing.org_outbox (")
                .contains("FUNCTION billing.org_outbox_notify()");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "postgresql | ;",
                "mysql | ' NOT NULL AUTO_INCREMENT, ADD UNIQUE INDEX idx_org_outbox_seq (seq);'",
                "mariadb | ' NOT NULL AUTO_INCREMENT, ADD UNIQUE INDEX idx_org_outbox_seq (seq);'",
                "h2 | ;"
            })
    void a_table_of_an_older_version_gets_what_it_lacks(String database, String rest) {
        run("--db", database, "--table", "billing.org_outbox", "--from-version", "1");
        assertThat(printed())
                .contains("ALTER TABLE billing.org_outbox ADD COLUMN seq BIGINT" + rest)
                .doesNotContain("CREATE TABLE billing.org_outbox (", "${");
        out.reset();
        run("--db", database, "--from-version", "0");
        assertThat(printed())
                .contains("CREATE TABLE outbox_event (", "ADD COLUMN seq")
                .doesNotContain("${");
        out.reset();
        run("--db", database, "--from-version", "2");
        assertThat(printed()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--table t | --db is missing; give one of [postgresql, mysql, mariadb, h2]",
                "--db oracle | --db must be one of [postgresql, mysql, mariadb, h2], was \"oracle\"",
                "--db | --db needs a value behind it",
                "--db h2 --table a-b | Invalid table name \"a-b\": it must match [a-zA-Z_][a-zA-Z0-9_]*",
                "--db h2 --table a.b.c | Invalid table name \"b.c\": it must match [a-zA-Z_][a-zA-Z0-9_]*",
                "--db h2 --table .b | Invalid schema name \"\": it must match [a-zA-Z_][a-zA-Z0-9_]*",
                "--db h2 --from-version x | --from-version must be a number, was \"x\"",
                "--db h2 --from-version -1 | fromVersion must be between 0 (no table yet) and 2 (the newest), was -1",
                "--db h2 --from-version 3 | fromVersion must be between 0 (no table yet) and 2 (the newest), was 3",
                "--db h2 --notify | --notify works on postgresql only, but --db is h2",
                "--db h2 --drop | unknown argument \"--drop\"",
            })
    void bad_arguments_are_named_and_nothing_is_printed(String args, String message) {
        assertThat(run(args.split(" ", -1))).isEqualTo(2);
        assertThat(printed()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("outbox schema: " + message + System.lineSeparator())
                .endsWith(SchemaCommand.USAGE);
    }

    @Test
    void help_is_no_mistake() {
        assertThat(run("--help")).isZero();
        assertThat(printed()).isEqualTo(SchemaCommand.USAGE);
    }
}
