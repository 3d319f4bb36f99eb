package outbox.domain;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/** A store as others may write one: it can lock, but knows nothing of leases by the database's clock. */
record StoreWithoutLeases(OutboxStore store) implements OutboxStore {

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        store.insertNew(conn, event);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return store.markDone(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return store.markRetry(conn, eventId, nextAt, error);
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return store.markDead(conn, eventId, error);
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return store.pollPending(conn, now, skipRecent, limit);
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return store.claimPending(conn, ownerId, now, lockExpiry, skipRecent, limit);
    }

    @Override
    public int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        return store.releaseClaims(conn, ownerId, eventIds);
    }
}
