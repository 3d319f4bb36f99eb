package outbox.dispatch;

import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.WriterHook;
import outbox.spi.OutboxStore;

/**
 * One transaction that somebody else begins and ends; made by {@link JoinedEvents#begin()}. What it hears of the end only says when to look: an
 * event is delivered once its row has been seen. Not thread-safe.
 */
public final class JoinedTransaction implements WriterHook {

    private final JoinedEvents joined;
    private final HotInserts inserts;
    private final Map<String, JoinedEvent> leased = new LinkedHashMap<>();
    private boolean othersWait;

    JoinedTransaction(JoinedEvents joined) {
        this.joined = joined;
        this.inserts = joined.insertsFor(this::born);
    }

    private void born(EventEnvelope event, long sinceNanos, boolean turnKnown) {
        leased.put(event.eventId(), joined.add(event, sinceNanos, turnKnown));
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return inserts.prepare(events);
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
                joined.pollWhenDue(event);
            }
        }
    }

    /** Looks now, and again later for what is not there yet. */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        joined.look(leasedOf(events), false, othersWait);
        events.stream().filter(event -> !leased.containsKey(event.eventId())).forEach(joined::countWritten);
    }

    /** Looks now, and never again for what is not there. */
    @Override
    public void afterRollback(List<EventEnvelope> events) {
        joined.look(leasedOf(events), true, othersWait);
    }

    /** Somebody has ended the transaction, or is about to, and does not say how: looks now, and again later for what is not there yet. */
    public void ended() {
        joined.look(List.copyOf(leased.values()), false, othersWait);
    }

    private List<JoinedEvent> leasedOf(List<EventEnvelope> events) {
        return events.stream()
                .map(event -> leased.get(event.eventId()))
                .filter(Objects::nonNull)
                .toList();
    }
}
