package outbox.testsupport;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
import outbox.internal.text.RowWords;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testsupport.RecordingStore.Row;

/** Leases on the rows of a {@link RecordingStore}; its calls are recorded in the store's journal. */
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
            lock(store.rows.get(id), ownerId);
        }
    }

    /** The name as it was given: what makes an owner unique would be in the way of who reads the journal. */
    static String nameOf(String ownerId) {
        return ownerId.replaceAll("~[0-9a-f]{8}$", "");
    }

    /** Somebody locks the row, so that renewals skip it. */
    void lockRow(String id) {
        lockedRows.add(id);
    }

    void unlockRow(String id) {
        lockedRows.remove(id);
    }

    private void lock(Row row, String ownerId) {
        row.lockedBy = nameOf(ownerId);
        row.lockedAt = clock.instant();
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (store) {
            List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
            store.called("lease.insert " + nameOf(ownerId) + " " + ids);
            events.forEach(store::insert);
            ids.forEach(id -> lock(store.rows.get(id), ownerId));
        }
    }

    @Override
    public List<Taken> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        store.called("lease.claim " + nameOf(ownerId) + " timeout=" + timeout + " skipRecent=" + skipRecent + " limit="
                + limit);
        return store.pending(row -> take(row, ownerId, timeout), limit).stream()
                .map(event -> new Taken(event, RowWords.suspicion(store.rows.get(event.eventId()).error)))
                .toList();
    }

    /** Leases the row if it is due and nobody holds it; what has expired under another owner is a suspect. */
    boolean take(Row row, String ownerId, Duration timeout) {
        Instant now = clock.instant();
        if (row.availableAt.isAfter(now)) {
            return false;
        }
        if (row.lockedBy != null) {
            if (!row.lockedAt.isBefore(now.minus(timeout))) {
                return false;
            }
            if (!row.lockedBy.equals(nameOf(ownerId))) {
                Suspicion before = RowWords.suspicion(row.error);
                row.error = RowWords.expired(before == null ? 0 : before.crashes(), row.lockedBy);
            }
        }
        lock(row, ownerId);
        return true;
    }

    @Override
    public Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds) {
        Set<String> renewed = new TreeSet<>();
        String call = "lease.renew " + nameOf(ownerId) + " " + new TreeSet<>(eventIds);
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

    @Override
    public Map<String, Long> leasedAt(Connection conn, String ownerId, Collection<String> eventIds) {
        synchronized (store) {
            return eventIds.stream()
                    .filter(id -> isHeld(store.rows.get(id), ownerId))
                    .collect(Collectors.toMap(
                            id -> id, id -> ChronoUnit.MICROS.between(Instant.EPOCH, store.rows.get(id).lockedAt)));
        }
    }

    private static boolean isHeld(Row row, String ownerId) {
        return row != null && row.isPending() && nameOf(ownerId).equals(row.lockedBy);
    }

    @Override
    public int release(Connection conn, String ownerId, Collection<String> eventIds) {
        int released = 0;
        synchronized (store) {
            store.called("lease.release " + nameOf(ownerId) + " "
                    + eventIds.stream().sorted().toList());
            for (String id : eventIds) {
                Row row = store.rows.get(id);
                if (isHeld(row, ownerId)) {
                    row.lockedBy = null;
                    released++;
                }
            }
        }
        return released;
    }

    @Override
    public boolean writeDown(Connection conn, String ownerId, Begun suspect) {
        synchronized (store) {
            store.called("lease.writeDown " + nameOf(ownerId) + " " + suspect.eventId());
            Row row = store.rows.get(suspect.eventId());
            if (!isHeld(row, ownerId)) {
                return false;
            }
            row.attempts = suspect.attempts() + 1;
            row.error = RowWords.begun(suspect.crashes() + 1);
            return true;
        }
    }

    @Override
    public int takeBack(Connection conn, String ownerId, Begun suspect) {
        synchronized (store) {
            store.called("lease.takeBack " + nameOf(ownerId) + " " + suspect.eventId());
            Row row = store.rows.get(suspect.eventId());
            if (!isHeld(row, ownerId)) {
                return 0;
            }
            row.attempts = suspect.attempts();
            row.error = RowWords.givenBack(suspect.crashes());
            row.lockedBy = null;
            return 1;
        }
    }

    @Override
    public Set<String> postpone(Connection conn, String ownerId, List<Postponed> suspects) {
        return change("postpone", ownerId, suspects, Postponed::eventId, (row, suspect) -> {
            row.status = EventStatus.RETRY;
            row.availableAt = clock.instant().plus(suspect.delay());
            row.error = RowWords.waits(suspect.crashes());
        });
    }

    @Override
    public Set<String> markDone(Connection conn, String ownerId, List<String> eventIds) {
        return change("markDone", ownerId, eventIds, id -> id, (row, id) -> row.status = EventStatus.DONE);
    }

    @Override
    public Set<String> delete(Connection conn, String ownerId, List<String> eventIds) {
        return change("delete", ownerId, eventIds, id -> id, (row, id) -> store.rows.remove(id));
    }

    @Override
    public Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries) {
        return change("markRetry", ownerId, retries, HeldRetry::eventId, (row, retry) -> {
            row.status = EventStatus.RETRY;
            row.attempts = retry.attempts();
            row.availableAt = clock.instant().plus(retry.delay());
            row.error = retry.error();
        });
    }

    @Override
    public Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead) {
        return change("markDead", ownerId, dead, HeldDead::eventId, (row, end) -> {
            row.status = EventStatus.DEAD;
            row.error = end.error() == null ? row.error : end.error();
            row.lockedBy = end.holdsKey() ? OrderedStore.KEY_HELD : null;
        });
    }

    private <T> Set<String> change(
            String kind, String ownerId, List<T> changes, Function<T, String> id, BiConsumer<Row, T> change) {
        Set<String> late = new TreeSet<>();
        synchronized (store) {
            store.called("lease." + kind + " " + nameOf(ownerId) + " "
                    + changes.stream().map(id).toList());
            for (T each : changes) {
                String eventId = id.apply(each);
                Row row = store.rows.get(eventId);
                if (isHeld(row, ownerId)) {
                    row.lockedBy = null;
                    change.accept(row, each);
                } else {
                    late.add(eventId);
                }
                store.marks.add(kind + " " + eventId);
            }
        }
        return late;
    }
}
