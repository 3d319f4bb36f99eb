package outbox.dispatch;

import java.util.List;
import java.util.Set;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.dispatch.JoinedList.Look;
import outbox.internal.lease.InsertedLease;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.LeasesEnded;
import outbox.internal.task.ThreadNames;
import outbox.model.OutboxHealth;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;

/**
 * Events of which nobody tells for certain whether they were committed: those that are written in transactions which somebody else begins and
 * ends, and those of a commit whose answer was lost. As far as there is room they are leased to this process by their insert, and a thread asks
 * the table which of them it holds: when somebody says that a transaction has ended, otherwise 50 ms after the insert and then after twice as
 * long each time, until the lease has expired. What it finds goes the way of any event after its commit.
 *
 * <p>Nothing depends on what is said: an event without a row is not delivered, and one that was not looked for, or not in time, is found by a
 * poll once its lease has expired. Without leases a word only wakes the poller. Until an event is found it takes no place in the hot queue.
 * Thread-safe.
 */
public final class JoinedEvents implements AutoCloseable {

    private final EventFlow flow;
    private final LeaseBook leases;
    private final OutboxStore store;
    private final FollowedEvents followed;
    private final DispatcherWriterHook hotHook;
    private final Looks looks;

    /**
     * Looks for events that the dispatcher will deliver; from now on also for those of its commits whose answers are lost.
     *
     * @param connections on which the table is asked: never those of the transactions
     */
    public JoinedEvents(OutboxDispatcher dispatcher, OutboxStore store, ConnectionProvider connections) {
        this(
                dispatcher,
                store,
                connections,
                new FollowedEvents(
                        store, connections, WriterHook.NOOP, dispatcher.flow().exporter()));
    }

    /**
     * As the other one.
     *
     * @param followed what others deliver, and what hooks hear of all
     */
    public JoinedEvents(
            OutboxDispatcher dispatcher, OutboxStore store, ConnectionProvider connections, FollowedEvents followed) {
        this.flow = dispatcher.flow();
        this.leases = flow.parts().leases();
        this.store = store;
        this.followed = followed;
        this.hotHook = new DispatcherWriterHook(dispatcher);
        this.looks = new Looks(
                "Look for joined events",
                ThreadNames.prefix("joined", store.tableName()),
                new Looks.Setup(
                        flow.parts().queues().newJoinedList(),
                        connections,
                        leases::now,
                        followed.told(),
                        this::freeShare),
                this::look);
        flow.hotPath().looksWith(this);
    }

    /** Joins a transaction. */
    public JoinedTransaction begin() {
        return new JoinedTransaction(this, followed.begin());
    }

    /** For tests. */
    JoinedList list() {
        return looks.list();
    }

    HotInserts insertsFor(HotInserts.Born born) {
        return flow.hotPath().insertsFor(this::room, born);
    }

    private HotInserts.Room room() {
        JoinedList list = looks.list();
        return looks.isClosed() ? HotInserts.Room.NONE : flow.hotPath().roomOf(list.room(), list.bytesLeft());
    }

    JoinedEvent add(EventEnvelope event, InsertedLease lease) {
        JoinedEvent joined = joined(event, lease);
        followed.writtenAgain(event.eventId());
        looks.add(joined);
        return joined;
    }

    private JoinedEvent joined(EventEnvelope event, InsertedLease lease) {
        return new JoinedEvent(event, lease.sinceNanos(), lease.turnKnown(), leases.endOf(lease.sinceNanos()));
    }

    /**
     * An event that may be committed, and how it was inserted as ours.
     *
     * @param event hooks have heard that its outcome is unknown
     */
    record Uncertain(EventEnvelope event, InsertedLease lease) {}

    /** Nobody knows whether the events were committed. Returns false if not all of them are looked for. */
    boolean lookFor(List<Uncertain> events) {
        return looks.addDue(events.stream()
                .map(each -> joined(each.event(), each.lease()).withEndTold())
                .toList());
    }

    /** The id was inserted once more: what is looked for under it was rolled back, and whoever finds a row finds another one. */
    void writtenAgain(String eventId) {
        looks.list().writtenAgain(eventId);
        followed.writtenAgain(eventId);
    }

    /** A transaction has ended, or is about to. */
    void look(List<JoinedEvent> transaction, boolean ruledOut, boolean othersWait) {
        looks.soon(transaction, ruledOut);
        if (othersWait && flow.hotPath().isActive()) {
            flow.parts().pollRequests().hotRefused();
        }
    }

    void pollWhenDue(EventEnvelope event) {
        if (event.isDelayed()) {
            flow.hotPath().pollWhenDue(event);
        }
    }

    /** Looks for what is due. */
    void look() {
        looks.lookNow();
    }

    private void look(List<Look> group) {
        try (LeasesEnded sinceAsked = leases.watchEnds()) {
            LeaseStore asked = store.leases();
            looks.ask(
                    group,
                    (conn, eventIds) -> asked == null ? Set.of() : asked.held(conn, leases.ownerId(), eventIds),
                    joined -> queue(joined, sinceAsked));
        }
    }

    private boolean queue(JoinedEvent joined, LeasesEnded sinceAsked) {
        boolean ours =
                flow.hotPath().found(joined.event, new InsertedLease(joined.since, joined.turnKnown), sinceAsked);
        if (ours) {
            hotHook.afterCommit(List.of(joined.event));
        } else {
            freeShare(joined.eventId());
        }
        return ours;
    }

    /** One that does not come needs no place among those of its key. */
    private void freeShare(String eventId) {
        flow.parts().intake().shares().free(eventId);
    }

    /** Whether the thread that looks does what it is there for. */
    public OutboxHealth health() {
        return looks.health();
    }

    /**
     * Looks once more and stops. To be called before the dispatcher is closed, which then delivers what was found. Events of transactions that
     * are still open wait for their leases to expire. Closing twice is harmless.
     */
    @Override
    public void close() {
        looks.close();
    }
}
