package outbox.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The command line says what is wrong with it, and how it should be. */
class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
            Bench.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--bogus | Unknown option: '--bogus'",
                "stray | Unmatched argument at index 0: 'stray'",
                "--db=oracle | --db must be of postgresql, mysql, mariadb, h2, was oracle",
                "--only=sleep | --only must be of drain, listeners, end-to-end, write, batch, ordered, consume, latency, done-rows, large-drain, idle, was sleep",
                "--candidates=floor,nobody | was nobody",
                "--rounds=0 | --rounds must be at least 1, was 0",
                "--rounds=many | Invalid value for option '--rounds'"
            })
    void bad_arguments_end_with_code_2_and_the_usage(String argument, String message) {
        assertThat(command.execute(argument)).isEqualTo(2);
        assertThat(err.toString()).contains(message).contains("Usage: ./outbox bench");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void help_goes_to_standard_output() {
        assertThat(command.execute("--help")).isZero();
        assertThat(out.toString()).contains("Usage: ./outbox bench").contains("--candidates");
    }
}
