package outbox.testservers.keeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import outbox.testservers.files.FileMutex;
import outbox.testservers.processes.ProcessEnd;
import outbox.testservers.processes.TestServerException;

/**
 * The process that has the shared servers of one test run.
 *
 * <p>Test JVMs come and go, so none of them can own a server; and Maven, whose run it is, cannot be told to. The keeper
 * stands between: the first test JVM that wants a database starts it, it starts each server when first asked for, and
 * it watches the run's owner. When the owner is gone, in whatever way, or the keeper itself is told to end, it stops
 * the servers and deletes their data. Should the keeper be killed, the next one of any run in the same directory does
 * that, see {@link RunSweeper}.
 */
public final class Keeper {

    private final RunDirectory run;
    private final SharedServers servers;
    private final ExecutorService conversations = Executors.newCachedThreadPool();

    private Keeper(RunDirectory run, SharedServers servers) {
        this.run = run;
        this.servers = servers;
    }

    /** Keeps the servers until the owner of the run is gone; then ends this process. */
    public static void keep(RunDirectory run, SharedServers servers) throws IOException {
        FileMutex life = FileMutex.acquire(run.keeperLock());
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            new Keeper(run, servers).serve(listener);
        } finally {
            life.release();
        }
    }

    private void serve(ServerSocket listener) throws IOException {
        ProcessHandle owner = ProcessHandle.of(run.owner())
                .orElseThrow(() -> new TestServerException("owner " + run.owner() + " is gone already"));
        RunSweeper.sweepDeadRuns(run);
        Runtime.getRuntime().addShutdownHook(new Thread(servers::end, "end-of-run"));
        KeeperAddress address =
                new KeeperAddress(listener.getLocalPort(), UUID.randomUUID().toString());
        conversations.execute(() -> accept(listener, address));
        address.write(run.keeperAddress());
        KeeperLog.write("keeping the servers of process " + run.owner());
        ProcessEnd.await(owner);
        System.exit(0);
    }

    private void accept(ServerSocket listener, KeeperAddress address) {
        try {
            while (true) {
                Socket client = listener.accept();
                conversations.execute(() -> converse(client, address));
            }
        } catch (IOException e) {
            KeeperLog.write("cannot listen any more: " + e);
            System.exit(1);
        }
    }

    private void converse(Socket client, KeeperAddress address) {
        try (KeeperConnection connection = new KeeperConnection(client)) {
            connection.receive(address).ifPresent(kind -> answer(kind, connection));
        } catch (IOException e) {
            KeeperLog.write("a client went away: " + e);
        }
    }

    private void answer(String kind, KeeperConnection connection) {
        try {
            connection.ready(servers.running(kind));
        } catch (RuntimeException e) {
            KeeperLog.write(kind + " cannot be had: " + e);
            connection.failed(String.valueOf(e.getMessage()));
        }
    }
}
