package outbox.poller;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/** Locks by the clock of this process, for a store without leases. */
record LockedRows(OutboxStore store, String ownerId, Duration timeout, Duration skipRecent, PollLink link)
        implements RowSource {

    /** The store cannot leave anything out; that it was asked is to be known all the same. */
    @Override
    public Batch fetch(Connection conn, Instant now, int limit) {
        link.leftOut();
        Instant expiry = now.minus(timeout);
        return new Batch(Row.ofAll(store.claimPending(conn, ownerId, now, expiry, skipRecent, limit)), limit, null);
    }

    @Override
    public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
        return store.markDead(conn, event.eventId(), error) > 0;
    }

    @Override
    public int release(Connection conn, List<OutboxEvent> events) {
        return store.releaseClaims(
                conn, ownerId, events.stream().map(OutboxEvent::eventId).toList());
    }
}
