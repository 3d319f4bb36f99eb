package outbox.wholebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Whoever finds a sample can run it: one command, told in its README and by {@code ./outbox --help}. */
class SamplesTest {

    private static final Pattern MAIN = Pattern.compile("^ +public static void main\\(", Pattern.MULTILINE);

    /** What no sample needs to be told, but all together must show. */
    private static final Map<String, String> SHOWN_SOMEWHERE = Map.of(
            "retention", "\\.retention\\(|CLEANER_RETENTION",
            "Micrometer", "new MicrometerMetricsExporter\\(",
            "switches", "\\.switches\\(OutboxSwitches\\.fromEnvironment\\(\\)\\)",
            "single active, which comes with switches", "\\.(singleActive|switches)\\(",
            "inbox", "JdbcInbox\\.on\\(",
            "relay", "OutboxRelayService\\.builder\\(\\)",
            "relay's transport", "\\.transport\\(",
            "own transport", "implements OutboxTransport");

    private final RunScript script = RunScript.read();
    private final Poms poms = Poms.read();

    @TestFactory
    Stream<DynamicTest> every_sample_with_a_main_program_has_a_command_that_its_readme_and_the_usage_name() {
        List<String> runnable =
                samples().filter(module -> MAIN.matcher(code(module)).find()).toList();
        assertThat(runnable).isNotEmpty();
        return runnable.stream().map(module -> DynamicTest.dynamicTest(module, () -> assertCanBeRun(module)));
    }

    @TestFactory
    Stream<DynamicTest> every_command_of_a_sample_compiles_all_that_the_sample_needs_and_runs_a_program_of_it() {
        return script.samples().entrySet().stream()
                .map(command -> DynamicTest.dynamicTest(
                        command.getKey(), () -> assertCompilesWhatIsNeeded(command.getValue())));
    }

    @TestFactory
    Stream<DynamicTest> the_samples_together_show_what_an_outbox_in_operation_has() {
        String code = samples().map(SamplesTest::code).collect(Collectors.joining());
        return SHOWN_SOMEWHERE.entrySet().stream()
                .map(feature -> DynamicTest.dynamicTest(
                        feature.getKey(), () -> assertThat(code).containsPattern(feature.getValue())));
    }

    @Test
    void the_pages_that_list_the_samples_have_all_of_them() {
        String readme = Sources.read(Sources.root().resolve("README.md"));
        String list = Sources.read(Sources.root().resolve("samples/README.md"));
        script.samples().forEach((command, sample) -> {
            Path directory = Path.of(sample.module()).getName(1);
            assertThat(readme).contains("(samples/" + directory + ")");
            assertThat(list).contains("`./outbox " + command + "`", "(" + directory + ")");
        });
    }

    private void assertCanBeRun(String module) throws Exception {
        List<String> commands = script.samples().entrySet().stream()
                .filter(command -> command.getValue().module().equals(module))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(commands).as("commands of ./outbox that run " + module).hasSize(1);
        String command = commands.get(0);

        Path readme = nearestReadme(module);
        assertThat(Sources.read(readme).lines()).as(readme.toString()).contains("./outbox " + command);
        assertThat(RunScript.call("--help").text()).containsPattern("(?m)^  " + command + " +\\S");
        RunScript.Answer help = RunScript.call(command, "--help");
        assertThat(help.exitCode()).as(help.text()).isZero();
        assertThat(help.text()).startsWith("Usage: ./outbox COMMAND");
        RunScript.Answer refusal = RunScript.call(command, "--nonsense");
        assertThat(refusal.exitCode()).as(refusal.text()).isEqualTo(2);
    }

    private void assertCompilesWhatIsNeeded(RunScript.Sample sample) {
        assertThat(sample.modules()).containsExactlyInAnyOrderElementsOf(poms.neededToRun(sample.module()));
        Path source = Sources.root()
                .resolve(sample.module())
                .resolve("src/main/java")
                .resolve(sample.mainClass().replace('.', '/') + ".java");
        assertThat(Sources.read(source)).containsPattern(MAIN);
        assertThat(Sources.read(Sources.root().resolve(sample.module()).resolve("pom.xml")))
                .as("the plugin that writes the class path down")
                .contains("<artifactId>maven-dependency-plugin</artifactId>");
    }

    private Stream<String> samples() {
        return poms.modules().stream().filter(module -> module.startsWith("samples/"));
    }

    private static String code(String module) {
        try (Stream<Path> files = Files.walk(Sources.root().resolve(module).resolve("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(Sources::read)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new AssertionError("Cannot read the sources of " + module, e);
        }
    }

    /** Several modules may be one sample, with one README above them. */
    private static Path nearestReadme(String module) {
        Path all = Sources.root().resolve("samples");
        Path directory = Sources.root().resolve(module);
        while (!directory.equals(all) && !Files.exists(directory.resolve("README.md"))) {
            directory = directory.getParent();
        }
        assertThat(directory).as("where the README of " + module + " is").isNotEqualTo(all);
        return directory.resolve("README.md");
    }
}
