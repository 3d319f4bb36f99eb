package outbox.proof;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class ProofTest {

    private final StringWriter output = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = Proof.commandLine();
        line.setOut(new PrintWriter(output));
        line.setErr(new PrintWriter(output));
        return line.execute(arguments);
    }

    @Test
    void help_tells_the_options() {
        assertThat(run("--help")).isZero();
        assertThat(output.toString()).contains("--minutes", "--seed", "--db", "--faults", "fail-over", "--soak");
    }

    @Test
    void a_soak_has_no_faults_to_choose_from() {
        assertThat(run("--soak", "--faults", "fail-over")).isEqualTo(2);
        assertThat(output.toString()).contains("--faults must not be given with --soak, which has none, was fail-over");
    }

    @Test
    void an_older_commit_is_compiled_by_the_script() {
        assertThat(run("--beside", "337181f")).isEqualTo(2);
        assertThat(output.toString())
                .contains("--beside must come through ./outbox, which compiles the commit, was 337181f");
    }

    @Test
    void a_soak_has_no_older_node() {
        assertThat(run("--soak", "--beside", "337181f", "--beside-class-path", "x"))
                .isEqualTo(2);
        assertThat(output.toString()).contains("--beside must not be given with --soak, was 337181f");
    }

    @ParameterizedTest
    @CsvSource({
        "--db,oracle,'--db must be of postgresql, mysql, mariadb, was oracle'",
        "--faults,'full-heap,flood','migrate-tables, was flood'",
        "--minutes,0,'--minutes must be more than 0 and at most a day, was 0.0'",
        "--minutes,NaN,'--minutes must be more than 0 and at most a day, was NaN'",
        "--minutes,soon,'Invalid value for option ''--minutes'''",
        "--rate,1,'--rate must be 3 to 100000 events a second, was 1'",
    })
    void bad_arguments_are_named_with_their_rule_and_value(String option, String value, String message) {
        assertThat(run(option, value)).isEqualTo(2);
        assertThat(output.toString()).contains(message);
    }
}
