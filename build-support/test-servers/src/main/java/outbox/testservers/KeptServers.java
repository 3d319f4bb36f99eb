package outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import outbox.testservers.keeper.Coordinates;
import outbox.testservers.keeper.KeeperLog;
import outbox.testservers.keeper.RunDirectory;
import outbox.testservers.keeper.RunSweeper;
import outbox.testservers.keeper.SharedServers;
import outbox.testservers.processes.TestServerException;

/** The shared servers of one run, each started when first asked for. */
final class KeptServers implements SharedServers {

    private static final int ORDERLY_STOP_SECONDS = 15;

    private final RunDirectory run;
    private final Map<ServerKind, DatabaseServer> servers = new EnumMap<>(ServerKind.class);
    private boolean ended;

    KeptServers(RunDirectory run) {
        this.run = run;
    }

    /** One that has died is started again on its data. */
    @Override
    public Coordinates running(String name) {
        ServerKind kind = ServerKind.valueOf(name);
        DatabaseServer server = server(kind);
        long begin = System.nanoTime();
        boolean cold = !server.isRunning();
        server.start();
        if (cold) {
            long millis = Duration.ofNanos(System.nanoTime() - begin).toMillis();
            KeeperLog.write(kind.label() + " answers after " + millis + " ms, process " + server.pid());
        }
        TestDatabase database = server.database();
        return new Coordinates(database.jdbcUrl(), database.user(), database.password());
    }

    @Override
    public void end() {
        List<DatabaseServer> started = refuseMore();
        try {
            CompletableFuture.allOf(started.stream()
                            .map(server -> CompletableFuture.runAsync(server::stop))
                            .toArray(CompletableFuture<?>[]::new))
                    .orTimeout(ORDERLY_STOP_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            KeeperLog.write("a server did not stop in good order: " + e);
        }
        try {
            Files.deleteIfExists(run.keeperAddress());
            new RunSweeper(run).sweep();
            KeeperLog.write("all servers ended");
        } catch (IOException e) {
            KeeperLog.write("data are left behind: " + e);
        }
    }

    private synchronized DatabaseServer server(ServerKind kind) {
        if (ended) {
            throw new TestServerException("the test run of process " + run.owner() + " is over");
        }
        return servers.computeIfAbsent(
                kind, absent -> kind.server(ServerSettings.in(run.newServerDirectory(kind.label()))));
    }

    private synchronized List<DatabaseServer> refuseMore() {
        ended = true;
        return List.copyOf(servers.values());
    }
}
