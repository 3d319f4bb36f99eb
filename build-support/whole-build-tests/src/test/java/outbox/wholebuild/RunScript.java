package outbox.wholebuild;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The script {@code ./outbox}: the commands that run samples, and what it prints. */
record RunScript(Map<String, Sample> samples) {

    private static final Pattern COMMAND =
            Pattern.compile("^cmd_(\\w+)\\(\\) \\{\\n(.*?)^}", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern RUN_SAMPLE = Pattern.compile("run_sample (\\S+)((?:\\s+\\\\?\\s*[\\w/-]+)+)");

    /** What a command builds and runs; the last module is the sample. */
    record Sample(String mainClass, List<String> modules) {

        String module() {
            return modules.get(modules.size() - 1);
        }
    }

    /** What a call of the script came to. */
    record Answer(int exitCode, String text) {}

    static RunScript read() {
        Map<String, Sample> samples = new TreeMap<>();
        for (MatchResult command : COMMAND.matcher(Sources.read(Sources.root().resolve("outbox")))
                .results()
                .toList()) {
            RUN_SAMPLE
                    .matcher(command.group(2))
                    .results()
                    .forEach(run -> samples.put(command.group(1).replace('_', '-'), sample(run)));
        }
        return new RunScript(samples);
    }

    private static Sample sample(MatchResult run) {
        List<String> modules = Stream.of(run.group(2).split("[\\s\\\\]+"))
                .filter(word -> !word.isEmpty())
                .toList();
        return new Sample(run.group(1), modules);
    }

    static Answer call(String... arguments) throws IOException, InterruptedException {
        String script = Sources.root().resolve("outbox").toString();
        Process process = new ProcessBuilder(Stream.concat(Stream.of("bash", script), Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(text).isTrue();
        return new Answer(process.exitValue(), text);
    }
}
