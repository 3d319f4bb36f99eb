package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.JoinedList.Look;
import outbox.internal.GuardedMetrics;
import outbox.internal.lease.LeaseBook;
import outbox.internal.task.LastWork;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.MetricsExporter;
import outbox.spi.OutboxStore;

/**
 * Events that are written in transactions which somebody else begins and ends, so that nobody tells for certain whether they were committed. As
 * far as there is room they are leased to this process by their insert, and a thread asks the table which of them it holds: when somebody says
 * that a transaction has ended, otherwise 50 ms after the insert and then after twice as long each time, until the lease has expired. What it
 * finds goes the way of any event after its commit. One statement asks for many events, and none is sent while there is nothing to look for.
 *
 * <p>Nothing depends on what is said: an event without a row is not delivered, and one that was not looked for, or not in time, is found by a
 * poll once its lease has expired. Without leases a word only wakes the poller. Until an event is found it takes no place in the hot queue.
 * Thread-safe.
 */
public final class JoinedEvents implements AutoCloseable {

    private static final Logger LOG = SafeLog.of(JoinedEvents.class);
    private static final int GROUP_SIZE = 500;
    private static final Duration NEVER = Duration.ofDays(365);

    /** How long the close waits for the database; what is not found by then waits for its lease to expire. */
    private static final Duration LAST_LOOK_WITHIN = Duration.ofSeconds(2);

    private final EventFlow flow;
    private final LeaseBook leases;
    private final @Nullable LeaseStore store;
    private final ConnectionProvider connections;
    private final JoinedList list;
    private final DispatcherWriterHook hotHook;
    private final MetricsExporter metrics;
    private final PeriodicTask schedule;

    /** @param connections on which the table is asked: never those of the transactions */
    public JoinedEvents(OutboxDispatcher dispatcher, OutboxStore store, ConnectionProvider connections) {
        this.flow = dispatcher.flow();
        this.leases = flow.parts().leases();
        this.store = store.leases();
        this.connections = Objects.requireNonNull(connections, "connections");
        this.list = flow.parts().queues().newJoinedList();
        this.hotHook = new DispatcherWriterHook(dispatcher);
        this.metrics = GuardedMetrics.of(flow.exporter());
        this.schedule = new PeriodicTask(
                "Look for joined events", ThreadNames.prefix("joined", store.tableName()), NEVER, this::look);
    }

    /** Joins a transaction. */
    public JoinedTransaction begin() {
        return new JoinedTransaction(this);
    }

    /** For tests. */
    JoinedList list() {
        return list;
    }

    HotInserts insertsFor(HotInserts.Born born) {
        return flow.hotPath().insertsFor(this::room, born);
    }

    private HotInserts.Room room() {
        return schedule.isClosed() ? HotInserts.Room.NONE : flow.hotPath().roomOf(list.room(), list.bytesLeft());
    }

    JoinedEvent add(EventEnvelope event, long sinceNanos, boolean turnKnown) {
        JoinedEvent joined = new JoinedEvent(event, sinceNanos, turnKnown, leases.endOf(sinceNanos));
        list.add(joined);
        wakeIn(joined.nextLook() - leases.now());
        return joined;
    }

    /** A transaction has ended, or is about to. */
    void look(List<JoinedEvent> transaction, boolean ruledOut, boolean othersWait) {
        if (!transaction.isEmpty()) {
            list.look(transaction, ruledOut, leases.now());
            wakeIn(0);
        }
        if (othersWait && flow.hotPath().isActive()) {
            flow.parts().pollRequests().hotRefused();
        }
    }

    void pollWhenDue(EventEnvelope event) {
        if (event.isDelayed()) {
            flow.hotPath().pollWhenDue(event);
        }
    }

    void countWritten(EventEnvelope event) {
        metrics.eventWritten(event.eventType());
    }

    /** A business transaction must not fail because there is no thread to be had; its events would be found by polls. */
    private void wakeIn(long nanos) {
        try {
            if (!schedule.isClosed()) {
                schedule.start();
            }
            if (nanos <= 0) {
                schedule.runSoon();
            } else {
                schedule.runAfter(Duration.ofNanos(nanos));
            }
        } catch (Throwable e) {
            LOG.log(Level.ERROR, "Cannot look for joined events; polls find them later", LoggedError.of(e));
        }
    }

    /** Looks for what is due. */
    void look() {
        List<Look> due = list.beginLook(leases.now());
        for (int from = 0; from < due.size(); from += GROUP_SIZE) {
            look(due.subList(from, Math.min(due.size(), from + GROUP_SIZE)));
        }
        long next = list.untilNextLook(leases.now());
        if (next >= 0) {
            schedule.runAfter(Duration.ofNanos(next));
        }
    }

    private void look(List<Look> group) {
        Set<String> held =
                ask(group.stream().map(look -> look.joined().eventId()).toList());
        for (Look look : group) {
            JoinedEvent joined = look.joined();
            if (held.contains(joined.eventId())) {
                if (list.found(joined)) {
                    flow.hotPath().found(joined.event, joined.since, joined.turnKnown);
                    hotHook.afterCommit(List.of(joined.event));
                }
            } else if (look.last()) {
                list.forget(joined);
                flow.parts().intake().shares().free(joined.eventId());
            }
        }
    }

    /** Nothing, if the database cannot be asked: there is another time, or the lease expires. */
    private Set<String> ask(List<String> eventIds) {
        LeaseStore asked = store;
        if (asked == null) {
            return Set.of();
        }
        try {
            return ShortTransaction.run(connections, conn -> asked.held(conn, leases.ownerId(), eventIds));
        } catch (SQLException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot look for " + eventIds.size() + " event(s) of joined transactions now",
                    LoggedError.of(e));
            return Set.of();
        }
    }

    /** Whether the thread that looks does what it is there for. */
    public OutboxHealth health() {
        String problem = schedule.problem();
        return problem == null ? OutboxHealth.HEALTHY : new OutboxHealth(List.of(problem));
    }

    /**
     * Looks once more and stops. To be called before the dispatcher is closed, which then delivers what was found. Events of transactions that
     * are still open wait for their leases to expire. Closing twice is harmless.
     */
    @Override
    public void close() {
        schedule.close(LAST_LOOK_WITHIN);
        if (list.size() > 0) {
            list.lookForAll(leases.now());
            LastWork.within(LAST_LOOK_WITHIN, "The last look for joined events", this::look);
        }
    }
}
