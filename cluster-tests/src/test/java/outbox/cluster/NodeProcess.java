package outbox.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import outbox.testservers.ChildJvm;

/** A running {@link NodeProgram}, seen from the test. */
final class NodeProcess implements AutoCloseable {

    private final NodeSettings settings;
    private final ChildJvm jvm;
    private boolean killed;

    private NodeProcess(NodeSettings settings, ChildJvm jvm) {
        this.settings = settings;
        this.jvm = jvm;
    }

    static NodeProcess start(NodeSettings settings) throws IOException {
        Files.createDirectories(settings.directory());
        return new NodeProcess(settings, ChildJvm.start(NodeProgram.class, settings.arguments(), settings.log()));
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
        killed = true;
        jvm.kill();
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
        killed = true;
    }

    boolean isAlive() {
        return jvm.isAlive();
    }

    /** Whether it did not end in good order. */
    boolean wasKilled() {
        return killed;
    }

    /** The ids of the events that it has delivered, in order. */
    List<Journal.Entry> deliveries() throws IOException {
        return Journal.read(settings.deliveries());
    }

    /** What it was told about being the active one; see {@link RecordedRelayLock}. */
    List<Journal.Entry> activity() throws IOException {
        return Journal.read(settings.activity());
    }

    @Override
    public void close() throws InterruptedException {
        jvm.close();
    }
}
