package outbox.wholebuild;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** An application that is a named module itself can use the jars: nothing it needs is hidden, and nothing internal is open. */
class ModulePathTest {

    @TempDir
    private Path work;

    @Test
    void a_named_module_raises_records_and_consumes_an_event() throws Exception {
        Path sources = Path.of(getClass().getResource("/module-consumer").toURI());
        Path classes = work.resolve("shop.consumer");
        String modulePath = modulePath();
        Sources.compile(
                List.of(sources.resolve("module-info.java.txt"), sources.resolve("shop/consumer/Main.java.txt"))
                        .stream()
                        .map(this::asJava)
                        .toList(),
                classes,
                "--module-path",
                modulePath);

        Process consumer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        modulePath + File.pathSeparator + classes,
                        "--module",
                        "shop.consumer/shop.consumer.Main")
                .redirectErrorStream(true)
                .start();
        boolean ended = consumer.waitFor(60, TimeUnit.SECONDS);
        String output = new String(consumer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(ended).as(output).isTrue();
        assertThat(output).contains("received order 1 through module outbox.domain");
        assertThat(consumer.exitValue()).as(output).isZero();
    }

    /** Kept under another name so that the build itself does not take the consumer for a part of this module. */
    private Path asJava(Path template) {
        try {
            Path target = work.resolve(template.getFileName().toString().replace(".txt", ""));
            return Files.copy(template, target);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String modulePath() {
        List<String> wanted = List.of(
                "outbox-core",
                "outbox-jdbc",
                "outbox-inbox",
                "outbox-domain",
                "outbox-jackson",
                "tools/jackson/core",
                "jackson-annotations",
                "com/h2database/h2");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> wanted.stream().anyMatch(entry.replace(File.separatorChar, '/')::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
