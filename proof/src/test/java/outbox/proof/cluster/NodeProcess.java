package outbox.proof.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import outbox.proof.history.Delivery;
import outbox.proof.history.FaultWindow;
import outbox.proof.history.JournalReader;
import outbox.testservers.ChildJvm;

/** A running {@link ClusterNodeProgram}, seen from the test. */
final class NodeProcess implements AutoCloseable {

    private final ClusterNodeSettings settings;
    private final ChildJvm jvm;
    private Long killedAt;

    private NodeProcess(ClusterNodeSettings settings, ChildJvm jvm) {
        this.settings = settings;
        this.jvm = jvm;
    }

    static NodeProcess start(ClusterNodeSettings settings) throws IOException {
        Files.createDirectories(settings.directory());
        return new NodeProcess(
                settings, ChildJvm.start(ClusterNodeProgram.class, settings.arguments(), settings.log()));
    }

    String await(String beginning) throws InterruptedException {
        return jvm.await(beginning);
    }

    /** Makes it write events, one in each transaction, until it is told that it is {@link #enough}. */
    void writeOn() throws IOException {
        order("write " + Integer.MAX_VALUE + " 1");
    }

    void enough() throws IOException, InterruptedException {
        order("enough");
        await("written");
    }

    void order(String order) throws IOException {
        jvm.order(order);
    }

    void kill() throws InterruptedException {
        jvm.kill();
        killedAt = System.nanoTime();
    }

    void pause() throws IOException, InterruptedException {
        jvm.pause();
    }

    void resume() throws IOException, InterruptedException {
        jvm.resume();
    }

    /** Ends it in good order. */
    void stop() throws IOException, InterruptedException {
        order("stop");
        await("stopped");
        jvm.awaitEnd();
    }

    /** Waits until it has died by itself. */
    void awaitDeath() throws InterruptedException {
        jvm.awaitEnd();
        killedAt = System.nanoTime();
    }

    boolean isAlive() {
        return jvm.isAlive();
    }

    /** The fault that it was, if it did not end in good order. */
    Optional<FaultWindow> death() {
        return Optional.ofNullable(killedAt).map(at -> new FaultWindow("killed", name(), at, at));
    }

    /** What it has delivered so far. */
    List<Delivery> deliveries() throws IOException {
        return JournalReader.read(settings.deliveries(), name(), System.nanoTime())
                .deliveries();
    }

    private String name() {
        return settings.directory().getFileName().toString();
    }

    /** What it was told about being the active one; see {@link RecordedRelayLock}. */
    List<LockJournal.Entry> activity() throws IOException {
        return LockJournal.read(settings.activity());
    }

    @Override
    public void close() throws InterruptedException {
        jvm.close();
    }
}
