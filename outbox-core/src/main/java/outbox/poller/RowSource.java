package outbox.poller;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.spi.OutboxStore;

/** How a poller gets events out of the table. */
interface RowSource {

    /**
     * An event that was found.
     *
     * @param ahead the ids of events after whose end it may be delivered
     */
    record Row(OutboxEvent event, Collection<String> ahead) {

        static List<Row> ofAll(List<OutboxEvent> events) {
            return events.stream().map(event -> new Row(event, Set.of())).toList();
        }
    }

    /**
     * What was found.
     *
     * @param moreMayCome whether another look may find more at once
     * @param othersWait whether there is more that cannot be had yet
     */
    record Batch(List<Row> rows, boolean moreMayCome, boolean othersWait) {}

    Batch fetch(Connection conn, Instant now, int limit);

    /**
     * Ends an event that was found and cannot be delivered.
     *
     * @param holdsKey whether later events of its aggregate must wait for a person
     * @return whether it was still ours to end
     */
    boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey);

    /** Gives back what was found. */
    int release(Connection conn, List<OutboxEvent> events);

    /** Whether what was found is not found again before it has ended or was given back. */
    default boolean locks() {
        return true;
    }

    /** Reads without locks, for a table that nobody else reads. */
    record Unlocked(OutboxStore store, Duration skipRecent) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            List<Row> rows = Row.ofAll(store.pollPending(conn, now, skipRecent, limit));
            return new Batch(rows, rows.size() == limit, false);
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return store.markDead(conn, event.eventId(), error) > 0;
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return 0;
        }

        @Override
        public boolean locks() {
            return false;
        }
    }

    /** Locks by the clock of this process, for a store without leases. */
    record Locked(OutboxStore store, ClaimSettings claim, Duration skipRecent) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            List<Row> rows = Row.ofAll(
                    store.claimPending(conn, claim.ownerId(), now, now.minus(claim.timeout()), skipRecent, limit));
            return new Batch(rows, rows.size() == limit, false);
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return store.markDead(conn, event.eventId(), error) > 0;
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return store.releaseClaims(
                    conn,
                    claim.ownerId(),
                    events.stream().map(OutboxEvent::eventId).toList());
        }
    }

    /** Leases by the clock of the database. */
    record Leased(LeaseStore leases, ClaimSettings claim, Duration skipRecent) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            List<Row> rows = Row.ofAll(leases.claim(conn, claim.ownerId(), claim.timeout(), skipRecent, limit));
            return new Batch(rows, rows.size() == limit, false);
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            LeaseStore.Held held = new LeaseStore.Held(event.eventId(), event.attempts());
            return leases.markDead(conn, claim.ownerId(), List.of(new LeaseStore.HeldDead(held, error, holdsKey)))
                    .isEmpty();
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return leases.release(
                    conn,
                    claim.ownerId(),
                    events.stream()
                            .map(event -> new LeaseStore.Held(event.eventId(), event.attempts()))
                            .toList());
        }
    }

    /** Leases runs of keys, in the order of each key. */
    record InOrder(OrderedStore store, Leased leased) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            ClaimSettings claim = leased.claim;
            OrderedStore.Claimed claimed =
                    store.claim(conn, claim.ownerId(), claim.timeout(), leased.skipRecent, limit);
            List<Row> rows = new ArrayList<>();
            for (OrderedStore.Run run : claimed.runs()) {
                Collection<String> ahead = run.ahead();
                for (OutboxEvent event : run.events()) {
                    rows.add(new Row(event, ahead));
                    ahead = List.of(event.eventId());
                }
            }
            return new Batch(rows, rows.size() == limit, claimed.othersWait());
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return leased.markDead(conn, event, error, holdsKey);
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return leased.release(conn, events);
        }
    }
}
