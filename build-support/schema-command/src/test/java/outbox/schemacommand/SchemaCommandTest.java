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
    @ValueSource(strings = {"postgresql", "mysql", "mariadb", "h2", "sqlite", "PostgreSQL"})
    void the_script_of_a_database_is_printed_for_the_table(String database) {
        assertThat(run("--db", database, "--table", "org_outbox")).isZero();
        assertThat(printed())
                .contains("CREATE TABLE IF NOT EXISTS org_outbox (", "seq ")
                .doesNotContain("outbox_event", "idx_org_outbox_key");
        assertThat(err.size()).isZero();
    }

    @Test
    void what_is_asked_for_in_addition_is_printed_too() {
        run(
                "--db",
                "postgresql",
                "--table",
                "billing.org_outbox",
                "--ordered",
                "--tenant-index",
                "--cursor-index",
                "--notify");

        assertThat(printed())
                .contains("CREATE TABLE IF NOT EXISTS billing.org_outbox (")
                .contains("idx_org_outbox_key ON billing.org_outbox (")
                .contains("idx_org_outbox_tenant ON billing.org_outbox (")
                .contains("idx_org_outbox_seq ON billing.org_outbox (")
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
        run("--db", database, "--from", "0");
        assertThat(printed())
                .contains("CREATE TABLE outbox_event (", "ADD COLUMN seq", "SET DEFAULT")
                .doesNotContain("${");
        out.reset();
        run("--db", database, "--from", "8");
        assertThat(printed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "mysql", "mariadb", "h2", "sqlite"})
    void the_consumer_s_table_is_printed_whole_and_as_a_version(String database) {
        run("--db", database, "--inbox");
        assertThat(printed()).contains("CREATE TABLE IF NOT EXISTS event_consume_record (");
        out.reset();
        run("--db", database, "--inbox", "--table", "billing.record", "--from", "0");
        assertThat(printed()).contains("CREATE TABLE billing.record (").doesNotContain("event_consume_record", "${");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--down 1 | DROP TABLE billing.t;",
                "--down 2 | DROP COLUMN seq;",
                "--down 3 | ALTER COLUMN created_at DROP DEFAULT",
                "--down 8 | DROP COLUMN payload_bytes;",
                "--down 1 --ordered | DROP INDEX billing.idx_t_key;",
                "--down 1 --inbox | DROP TABLE billing.t;"
            })
    void the_way_back_from_a_version_is_printed_with_its_warning(String args, String statement) {
        assertThat(run(("--db postgresql --table billing.t " + args).split(" ", -1)))
                .isZero();
        assertThat(printed()).startsWith("-- WARNING: ").contains(statement).doesNotContain("${");
    }

    /** SQLite has had from the beginning what the third version adds. */
    @Test
    void a_version_that_a_database_does_not_need_is_empty() {
        assertThat(run("--db", "sqlite", "--from", "2")).isZero();
        assertThat(printed()).contains("outbox:4-outbox_event").doesNotContain("outbox:3-outbox_event");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--table t | --db is missing; give one of [postgresql, mysql, mariadb, h2, sqlite]",
                "--db oracle | --db must be one of [postgresql, mysql, mariadb, h2, sqlite], was \"oracle\"",
                "--db | --db needs a value behind it",
                "--db h2 --table a-b | --table must be NAME or SCHEMA.NAME, each of letters, digits and underscores and not beginning with a digit, was \"a-b\"",
                "--db h2 --table a.b.c | --table must be NAME or SCHEMA.NAME, each of letters, digits and underscores and not beginning with a digit, was \"a.b.c\"",
                "--db h2 --table .b | --table must be NAME or SCHEMA.NAME, each of letters, digits and underscores and not beginning with a digit, was \".b\"",
                "--db h2 --from-version x | --from-version must be a number, was \"x\"",
                "--db h2 --from -1 | --from must be between 0 (no table yet) and 8 (the newest), was -1",
                "--db h2 --from 9 | --from must be between 0 (no table yet) and 8 (the newest), was 9",
                "--db h2 --inbox --from 2 | --from must be between 0 (no table yet) and 1 (the newest), was 2",
                "--db h2 --down 0 | --down must be between 1 and 8 (the newest), was 0",
                "--db h2 --ordered --down 2 | --down must be between 1 and 1 (the newest), was 2",
                "--db h2 --from 1 --down 2 | --from leads up and --down leads down; leave one of them out",
                "--db h2 --tenant-index --down 2 | --down takes a version back, and --tenant-index is not among the versions; only --ordered can be given with it",
                "--db h2 --inbox --ordered | --inbox prints the inbox's table, which has no --ordered; leave one of them out, and print the outbox's table by itself",
                "--db sqlite --tenant-index | --tenant-index is not there for sqlite; leave it out",
                "--db mysql --cursor-index | --cursor-index is for postgresql and h2; the table of mysql has such an index, leave it out",
                "--db h2 --notify | --notify works on postgresql only, but --db is h2",
                "--db h2 --drop | unknown argument \"--drop\"; see below for what there is",
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
