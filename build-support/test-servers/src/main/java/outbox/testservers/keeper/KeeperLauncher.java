package outbox.testservers.keeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import outbox.testservers.binaries.ServerBinaries;
import outbox.testservers.files.TestDirectory;
import outbox.testservers.processes.Command;
import outbox.testservers.processes.LogTail;
import outbox.testservers.processes.ServerProcess;
import outbox.testservers.processes.TestServerException;

/** Starts a keeper as a process of its own, which outlives this JVM. Its user holds the start lock. */
final class KeeperLauncher {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int PROBE_INTERVAL_MILLIS = 20;

    /** Takes the keeper out of the terminal's reach: Ctrl-C is for Maven, whose end the keeper then sees. */
    private static final Path OWN_SESSION = Path.of("/usr/bin/setsid");

    private final RunDirectory run;
    private final Class<?> program;

    KeeperLauncher(RunDirectory run, Class<?> program) {
        this.run = run;
        this.program = program;
    }

    /** Starts the keeper and connects to it. */
    KeeperConnection launch() throws IOException {
        Files.createDirectories(run.path());
        Files.deleteIfExists(run.keeperAddress());
        ServerProcess keeper = ServerProcess.start(new Command(line()), run.keeperLog());
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline && !keeper.awaitExit(PROBE_INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
            Optional<KeeperConnection> connection =
                    KeeperAddress.read(run.keeperAddress()).flatMap(KeeperConnection::open);
            if (connection.isPresent()) {
                return connection.get();
            }
        }
        keeper.kill();
        throw new TestServerException("the keeper of the test servers did not start. " + LogTail.of(run.keeperLog()));
    }

    private List<String> line() {
        List<String> line = new ArrayList<>();
        if (Files.isExecutable(OWN_SESSION)) {
            line.add(OWN_SESSION.toString());
        }
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
        line.add("-D" + TestDirectory.PROPERTY + "=" + TestDirectory.current());
        Optional.ofNullable(System.getProperty(ServerBinaries.MYSQL_VERSION_PROPERTY))
                .ifPresent(version -> line.add("-D" + ServerBinaries.MYSQL_VERSION_PROPERTY + "=" + version));
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        line.add(String.valueOf(run.owner()));
        return line;
    }
}
