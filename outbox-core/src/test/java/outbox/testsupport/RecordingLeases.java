package outbox.testsupport;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testsupport.RecordingStore.Row;

/** Leases on the rows of a {@link RecordingStore}; its calls stand in the journal of the store. */
final class RecordingLeases implements LeaseStore {

    private final RecordingStore store;
    private final Clock clock;
    private final Set<String> lockedRows = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<String> renewals = new LinkedBlockingQueue<>();

    RecordingLeases(RecordingStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    String nextRenewal() throws InterruptedException {
        return Objects.requireNonNull(renewals.poll(10, TimeUnit.SECONDS), "nothing was renewed");
    }

    void takeOver(String id, String ownerId) {
        synchronized (store) {
            Row row = store.rows.get(id);
            row.attempts++;
            lock(row, ownerId);
        }
    }

    /** Somebody locks the row, so that renewals leave it out. */
    void lockRow(String id) {
        lockedRows.add(id);
    }

    void unlockRow(String id) {
        lockedRows.remove(id);
    }

    private void lock(Row row, String ownerId) {
        row.lockedBy = ownerId;
        row.lockedAt = clock.instant();
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (store) {
            List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
            store.called("lease.insert " + ownerId + " " + ids);
            events.forEach(store::insert);
            ids.forEach(id -> lock(store.rows.get(id), ownerId));
        }
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        store.called(
                "lease.claim " + ownerId + " timeout=" + timeout + " skipRecent=" + skipRecent + " limit=" + limit);
        return store.pending(row -> take(row, ownerId, timeout), limit);
    }

    /** Leases the row if it is due and nobody holds it; what has expired counts an attempt. */
    boolean take(Row row, String ownerId, Duration timeout) {
        Instant now = clock.instant();
        if (row.availableAt.isAfter(now)) {
            return false;
        }
        if (row.lockedBy != null) {
            if (!row.lockedAt.isBefore(now.minus(timeout))) {
                return false;
            }
            row.attempts++;
            row.error = "Lease expired, owner " + row.lockedBy;
        }
        lock(row, ownerId);
        return true;
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        Set<String> renewed = new TreeSet<>();
        String call = "lease.renew " + ownerId + " " + new TreeSet<>(eventIds);
        synchronized (store) {
            store.called(call);
            for (String id : eventIds) {
                Row row = store.rows.get(id);
                if (isHeld(row, ownerId) && !lockedRows.contains(id)) {
                    row.lockedAt = clock.instant();
                    renewed.add(id);
                }
            }
        }
        renewals.add(call);
        return renewed;
    }

    @Override
    public Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (store) {
            return eventIds.stream()
                    .filter(id -> isHeld(store.rows.get(id), ownerId))
                    .collect(Collectors.toSet());
        }
    }

    private static boolean isHeld(Row row, String ownerId) {
        return row != null && row.isPending() && ownerId.equals(row.lockedBy);
    }

    @Override
    public int release(Connection conn, String ownerId, List<Held> events) {
        int released = 0;
        synchronized (store) {
            store.called("lease.release " + ownerId + " "
                    + events.stream().map(Held::eventId).sorted().toList());
            for (Held held : events) {
                Row row = store.rows.get(held.eventId());
                if (isHeld(row, ownerId) && row.attempts == held.attempts()) {
                    row.lockedBy = null;
                    released++;
                }
            }
        }
        return released;
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<Held> events) {
        return change("markDone", ownerId, events, held -> held, (row, held) -> row.status = EventStatus.DONE);
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<Held> events) {
        return change("delete", ownerId, events, held -> held, (row, held) -> store.rows.remove(held.eventId()));
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return change("markRetry", ownerId, retries, HeldRetry::held, (row, retry) -> {
            row.status = EventStatus.RETRY;
            row.attempts++;
            row.availableAt = clock.instant().plus(retry.delay());
            row.error = retry.error();
        });
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        return change("markDead", ownerId, dead, HeldDead::held, (row, end) -> {
            row.status = EventStatus.DEAD;
            row.error = end.error() == null ? row.error : end.error();
            row.lockedBy = end.holdsKey() ? OrderedStore.KEY_HELD : null;
        });
    }

    private <T> Set<String> change(
            String kind, String ownerId, List<T> changes, Function<T, Held> held, BiConsumer<Row, T> change) {
        Set<String> late = new TreeSet<>();
        synchronized (store) {
            store.called("lease." + kind + " " + ownerId + " "
                    + changes.stream()
                            .map(held)
                            .map(hold -> hold.eventId() + "@" + hold.attempts())
                            .toList());
            for (T each : changes) {
                Held hold = held.apply(each);
                Row row = store.rows.get(hold.eventId());
                if (isHeld(row, ownerId) && row.attempts == hold.attempts()) {
                    row.lockedBy = null;
                    change.accept(row, each);
                } else {
                    late.add(hold.eventId());
                }
                store.marks.add(kind + " " + hold.eventId());
            }
        }
        return late;
    }
}
