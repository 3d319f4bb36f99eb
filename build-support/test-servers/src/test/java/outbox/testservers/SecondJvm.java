package outbox.testservers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import outbox.testservers.binaries.ServerBinaries;
import outbox.testservers.files.TestDirectory;

/** A JVM beside the one of the tests, that asks for servers and prints their addresses. */
final class SecondJvm {

    private SecondJvm() {}

    public static void main(String[] kinds) {
        for (String kind : kinds) {
            System.out.println(TestServers.of(ServerKind.valueOf(kind)).jdbcUrl());
        }
    }

    /** Runs one to its end with the same test directory and the given further properties. */
    static List<String> addresses(Map<String, String> properties, ServerKind... kinds)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-D" + TestDirectory.PROPERTY + "=" + TestDirectory.current());
        line.add("-D" + ServerBinaries.MYSQL_VERSION_PROPERTY + "="
                + System.getProperty(ServerBinaries.MYSQL_VERSION_PROPERTY, "8.0.12"));
        properties.forEach((name, value) -> line.add("-D" + name + "=" + value));
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), SecondJvm.class.getName()));
        List.of(kinds).forEach(kind -> line.add(kind.name()));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("the second JVM failed: " + output);
        }
        return output.lines().toList();
    }
}
