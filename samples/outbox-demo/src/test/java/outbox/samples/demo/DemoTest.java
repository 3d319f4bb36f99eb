package outbox.samples.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class DemoTest {

    @TempDir
    Path directory;

    @Test
    void main_prints_the_closing_table_and_ends_with_0() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        int exitCode = Demo.run(new String[0], stream(out), stream(err));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("1. Orders", "6. A process", "committed delivered", "All promises kept")
                .doesNotContain("BROKEN", "\u001b[");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(exitCode).isZero();
    }

    @Test
    void a_broken_promise_ends_with_1_and_tells_where_the_log_is() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        int exitCode = Demo.play(List.of(new HopelessChapter()), Printout.on(stream(out)));

        String printed = out.toString(StandardCharsets.UTF_8);
        assertThat(exitCode).isEqualTo(1);
        assertThat(printed).contains("BROKEN: java.lang.IllegalStateException: no warehouse", "1 promise(s) broken:");
        Path log = Path.of(
                printed.substring(printed.indexOf("Log: ") + "Log: ".length()).strip());
        assertThat(log).content().contains("Chapter hopeless failed");
        Files.delete(log);
        Files.delete(log.getParent());
    }

    private static final class HopelessChapter implements Chapter {
        @Override
        public String name() {
            return "hopeless";
        }

        @Override
        public String title() {
            return "A chapter that cannot end well";
        }

        @Override
        public void play(Stage stage) {
            throw new IllegalStateException("no warehouse");
        }
    }

    @Test
    void an_unknown_argument_ends_the_process_with_2_and_usage_on_stderr() throws Exception {
        Ended ended = run("--fast");

        assertThat(ended.exitCode).isEqualTo(2);
        assertThat(ended.err).contains("Unknown arguments: --fast", "Usage: outbox demo");
        assertThat(ended.out).isEmpty();
    }

    @Test
    void help_ends_the_process_with_0_and_usage_on_stdout() throws Exception {
        Ended ended = run("--help");

        assertThat(ended.exitCode).isZero();
        assertThat(ended.out).startsWith("Usage: outbox demo");
        assertThat(ended.err).isEmpty();
    }

    private record Ended(int exitCode, String out, String err) {}

    private Ended run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Demo.class.getName()));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
