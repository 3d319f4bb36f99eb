package outbox.dispatch;

import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.WriterHook;
import outbox.internal.lease.InsertedLease;
import outbox.spi.OutboxStore;

/**
 * One transaction that somebody else begins and ends; made by {@link JoinedEvents#begin()}. What it hears of the end only says when to look: an
 * event is delivered, and hooks hear of its commit, once its row has been seen. Not thread-safe.
 */
public final class JoinedTransaction implements WriterHook {

    private final JoinedEvents joined;
    private final FollowedTransaction others;
    private final HotInserts inserts;
    private final Map<String, JoinedEvent> leased = new LinkedHashMap<>();
    private boolean othersWait;

    /** @param others those of the events that are not leased to this process */
    JoinedTransaction(JoinedEvents joined, FollowedTransaction others) {
        this.joined = joined;
        this.others = others;
        this.inserts = joined.insertsFor(this::born);
    }

    private void born(EventEnvelope event, long sinceNanos, boolean turnKnown) {
        leased.put(event.eventId(), joined.add(event, new InsertedLease(sinceNanos, turnKnown)));
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> changed = others.beforeWrite(events);
        return changed == null ? null : inserts.prepare(changed);
    }

    /** As many as there is room for belong to this process from the beginning; the others are free for whoever polls first. */
    @Override
    public void insert(OutboxStore store, Connection conn, List<EventEnvelope> events) {
        inserts.insert(store, conn, events);
    }

    /** As {@link #insert}, for those of the events whose id is not there yet. */
    @Override
    public List<WriteReceipt> insertOnce(
            OutboxStore store, Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        return inserts.insertOnce(store, conn, events, policy);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (!leased.containsKey(event.eventId())) {
                othersWait = true;
                joined.writtenAgain(event.eventId());
                joined.pollWhenDue(event);
                others.follow(event);
            }
        }
        others.told().afterWrite(events);
    }

    /** Looks now, and again later for what is not there yet. */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        joined.look(leasedOf(events), false, othersWait);
        others.afterCommit(notLeasedOf(events));
    }

    /** Looks now, and never again for what is not there. */
    @Override
    public void afterRollback(List<EventEnvelope> events) {
        joined.look(leasedOf(events), true, othersWait);
        others.afterRollback(notLeasedOf(events));
    }

    /** Looks now, and again later for what is not there yet. */
    @Override
    public void afterUnknown(List<EventEnvelope> events) {
        joined.look(leasedOf(events), false, othersWait);
        others.afterUnknown(notLeasedOf(events));
    }

    /** Somebody has ended the transaction, or is about to, and does not say how: looks now, and again later for what is not there yet. */
    public void ended() {
        joined.look(List.copyOf(leased.values()), false, othersWait);
        others.ended();
    }

    private List<JoinedEvent> leasedOf(List<EventEnvelope> events) {
        return events.stream()
                .map(event -> leased.get(event.eventId()))
                .filter(Objects::nonNull)
                .toList();
    }

    private List<EventEnvelope> notLeasedOf(List<EventEnvelope> events) {
        return events.stream()
                .filter(event -> !leased.containsKey(event.eventId()))
                .toList();
    }
}
