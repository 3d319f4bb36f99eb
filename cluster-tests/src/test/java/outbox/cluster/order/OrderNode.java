package outbox.cluster.order;

import java.io.IOException;
import outbox.cluster.order.OrderJournal.What;
import outbox.testservers.ChildJvm;

/** A running {@link OrderNodeProgram}, seen from the test. What is done to it goes into the journal. */
final class OrderNode implements AutoCloseable {

    private final OrderSettings settings;
    private final ChildJvm jvm;
    private final OrderJournal journal;
    private boolean ready;
    private boolean paused;
    private boolean stopping;

    private OrderNode(OrderSettings settings, ChildJvm jvm, OrderJournal journal) {
        this.settings = settings;
        this.jvm = jvm;
        this.journal = journal;
    }

    static OrderNode start(OrderSettings settings, OrderJournal journal) throws IOException {
        ChildJvm jvm = ChildJvm.start(OrderNodeProgram.class, settings.arguments(), settings.log());
        return new OrderNode(settings, jvm, journal);
    }

    String await(String beginning) throws InterruptedException {
        return jvm.await(beginning);
    }

    String poll(String beginning) {
        return jvm.poll(beginning);
    }

    void awaitReady() throws InterruptedException {
        await("ready");
        ready = true;
    }

    void order(String order) throws IOException {
        jvm.order(order);
    }

    /** Returns when no transaction is open. */
    void endWriting() throws IOException, InterruptedException {
        order("enough");
        await("written");
    }

    /** Whether it can be expected to answer soon. */
    boolean answers() {
        ready = ready || jvm.hasSaid("ready");
        return ready && !paused && !stopping && jvm.isAlive();
    }

    void kill() throws IOException, InterruptedException {
        jvm.kill();
        journal.add(What.KILLED, name());
    }

    void pause() throws IOException, InterruptedException {
        journal.add(What.PAUSED, name());
        jvm.pause();
        paused = true;
    }

    boolean isPaused() {
        return paused;
    }

    void resume() throws IOException, InterruptedException {
        journal.add(What.RESUMED, name());
        jvm.resume();
        paused = false;
    }

    /** Begins to end it in good order. */
    void beginStop() throws IOException {
        stopping = true;
        order("stop");
    }

    boolean isStopping() {
        return stopping;
    }

    /** Whether it has ended in good order. */
    boolean hasStopped() {
        return stopping && !jvm.isAlive();
    }

    /** Waits until it has ended by itself. */
    void awaitEnd() throws InterruptedException {
        jvm.awaitEnd();
    }

    private String name() {
        return settings.node(jvm.pid());
    }

    @Override
    public void close() throws InterruptedException {
        jvm.close();
    }
}
