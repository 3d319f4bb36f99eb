package outbox.cluster.order;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Nodes under load and faults, until all that they have written is settled. One thread does it all, step by step. */
final class OrderRun implements AutoCloseable {

    private static final long TICK_MILLIS = 50;
    private static final int PATIENCE_SECONDS = 120;
    private static final Progress UNKNOWN = new Progress(0, Long.MAX_VALUE);

    private final OrderSettings settings;
    private final OrderJournal journal;
    private final FaultPlan plan;
    private final List<OrderNode> started = new ArrayList<>();
    private final OrderNode[] slots;
    private OrderNode actor;
    private int actions;
    private Progress progress = UNKNOWN;
    private int failedTransactions;

    OrderRun(OrderSettings settings, OrderForm form, int nodes) throws IOException {
        this.settings = settings;
        Files.createDirectories(settings.directory());
        this.journal = new OrderJournal(settings.journal());
        this.plan = new FaultPlan(settings.seed(), form, nodes, settings.lease());
        this.slots = new OrderNode[nodes];
    }

    /** Runs until everything is settled, or for too long; then the checker tells what is left. */
    void run(OrderForm form) throws Exception {
        for (int slot = 0; slot < slots.length; slot++) {
            start(slot);
        }
        for (OrderNode node : slots) {
            node.awaitReady();
        }
        long begin = System.nanoTime();
        while (millisSince(begin) < form.loadMillis
                || progress.events() < form.events
                || !plan.isDone()
                || anyStopping()) {
            for (FaultPlan.Step step : plan.due(millisSince(begin))) {
                take(step);
            }
            replaceStopped();
            letPersonAct();
            Thread.sleep(TICK_MILLIS);
        }
        settle();
        stopAll();
    }

    int failedTransactions() {
        return failedTransactions;
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private void start(int slot) throws IOException {
        OrderNode node = OrderNode.start(settings.withNumber(started.size()), journal);
        started.add(node);
        slots[slot] = node;
        node.order("produce");
    }

    private void take(FaultPlan.Step step) throws Exception {
        OrderNode node = slots[step.slot()];
        switch (step.action()) {
            case KILL -> {
                node.kill();
                start(step.slot());
            }
            case PAUSE -> {
                if (!node.isPaused() && !node.isStopping()) {
                    node.pause();
                }
            }
            case PAUSE_BETWEEN_WRITES -> {
                if (node.answers()) {
                    endWritingUnlessBlocked(node);
                    node.pause();
                }
            }
            case RESUME -> {
                if (node.isPaused()) {
                    node.resume();
                    node.order("produce");
                }
            }
            case RESTART -> {
                if (!node.isStopping()) {
                    node.beginStop();
                }
            }
        }
    }

    /** A transaction may have to wait for one of a node that is paused, which would then never be resumed. */
    private void endWritingUnlessBlocked(OrderNode node) throws Exception {
        if (List.of(slots).stream().noneMatch(OrderNode::isPaused)) {
            node.endWriting();
        }
    }

    private boolean anyStopping() {
        return List.of(slots).stream().anyMatch(OrderNode::isStopping);
    }

    private void replaceStopped() throws IOException {
        for (int slot = 0; slot < slots.length; slot++) {
            if (slots[slot].hasStopped()) {
                start(slot);
            }
        }
    }

    /**
     * Does not wait for the person, who may have to wait for a lock of a node that is paused.
     */
    private void letPersonAct() throws IOException {
        if (actor != null && actor.answers()) {
            String answer = actor.poll("acted " + actions + " ");
            if (answer == null) {
                return;
            }
            progress = Progress.parse(answer);
        }
        actor = List.of(slots).stream().filter(OrderNode::answers).findFirst().orElse(null);
        if (actor != null) {
            actions++;
            actor.order("act " + actions);
        }
    }

    private void settle() throws Exception {
        for (OrderNode node : slots) {
            node.order("enough");
        }
        for (OrderNode node : slots) {
            node.await("written");
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        actor = null;
        progress = UNKNOWN;
        while (progress.unsettled() > 0 && System.nanoTime() < deadline) {
            letPersonAct();
            Thread.sleep(TICK_MILLIS);
        }
    }

    private void stopAll() throws Exception {
        for (OrderNode node : slots) {
            node.beginStop();
        }
        for (OrderNode node : slots) {
            failedTransactions += Integer.parseInt(node.await("stopped"));
        }
        for (OrderNode node : slots) {
            node.awaitEnd();
        }
    }

    @Override
    public void close() throws InterruptedException {
        for (OrderNode node : started) {
            node.close();
        }
    }
}
