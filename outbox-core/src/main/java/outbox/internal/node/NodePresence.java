package outbox.internal.node;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.model.NodeMode;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;

/**
 * Keeps a process in the table of nodes from its start to its end, on a thread of its own, so that a table of nodes that somebody has locked
 * keeps no leases from being renewed. Thread-safe.
 */
public final class NodePresence {

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final LeaseStore store;
    private final ConnectionProvider connections;
    private final String outbox;
    private final PeriodicTask schedule;
    private volatile @Nullable NodeHeartbeat heartbeat;

    /** @param table for messages and the name of the thread; null if unknown */
    public NodePresence(LeaseStore store, ConnectionProvider connections, @Nullable String table) {
        this.store = store;
        this.connections = connections;
        this.outbox = table == null ? "outbox" : "outbox " + table;
        this.schedule = new PeriodicTask("Heartbeat", ThreadNames.prefix("node", table), INTERVAL, this::beat);
    }

    /** Begins to show the process. The name and the mode of the first call count. */
    public synchronized void begin(String ownerId, NodeMode mode) {
        if (heartbeat == null && !schedule.isClosed()) {
            heartbeat = new NodeHeartbeat(store, connections, outbox, ownerId, mode);
            schedule.start();
        }
    }

    private void beat() {
        NodeHeartbeat begun = heartbeat;
        if (begun != null && !begun.beat()) {
            schedule.stopSoon();
        }
    }

    /** Which other processes must not be there, in words; null if there are none, or this one was closed. */
    public @Nullable String problem() {
        NodeHeartbeat begun = heartbeat;
        return begun == null || schedule.isClosed() ? null : begun.problem();
    }

    /** Sends no further heartbeat. */
    public void stopSoon() {
        schedule.stopSoon();
    }

    /** Takes the process out of the table; gives up after the given time, if the database does not answer. */
    public void close(Duration timeout) {
        long start = System.nanoTime();
        schedule.close(timeout);
        NodeHeartbeat begun = heartbeat;
        if (begun != null) {
            LastWork.within(timeout.minusNanos(System.nanoTime() - start), "The end of the heartbeat", begun::end);
        }
    }
}
