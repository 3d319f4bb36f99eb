package outbox.wholebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/** Compiles Java sources during a test. */
final class Sources {

    private Sources() {}

    static void compile(List<Path> sources, Path classes, String... options) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString(), "--release", "17", "-proc:none"));
        arguments.addAll(List.of(options));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
            boolean ok = compiler.getTask(
                            null, files, problems, arguments, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(ok).as(() -> describe(problems)).isTrue();
        }
    }

    private static String describe(DiagnosticCollector<JavaFileObject> problems) {
        return problems.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(problem ->
                        problem.getSource() + ":" + problem.getLineNumber() + ": " + problem.getMessage(Locale.ROOT))
                .collect(Collectors.joining("\n"));
    }

    static Path root() {
        return Path.of(System.getProperty("outbox.root"));
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError("Cannot read " + file, e);
        }
    }
}
