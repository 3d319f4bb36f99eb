package outbox.testing;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore.ClaimRequest;
import outbox.spi.LeaseStore.Start;
import outbox.spi.OrderedStore;

/** Order of events in memory. */
final class InMemoryOrderedStore implements OrderedStore {

    private static final Comparator<StoredRow> BY_SEQ = Comparator.comparingLong(StoredRow::seq);

    private final InMemoryTable table;
    private final InMemoryInserts inserts;
    private final InMemoryLeaseStore leases;

    InMemoryOrderedStore(InMemoryTable table, InMemoryInserts inserts, InMemoryLeaseStore leases) {
        this.table = table;
        this.inserts = inserts;
        this.leases = leases;
    }

    @Override
    public List<Standing> insert(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (table) {
            List<Standing> standings = new ArrayList<>();
            for (EventEnvelope event : events) {
                inserts.insert(conn, event);
                standings.add(place(conn, event, ownerId));
            }
            return standings;
        }
    }

    @Override
    public List<Placed> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId) {
        synchronized (table) {
            List<WriteReceipt> receipts = inserts.insertOnce(conn, events, policy);
            List<Placed> placed = new ArrayList<>();
            for (int i = 0; i < events.size(); i++) {
                boolean there = receipts.get(i).alreadyThere();
                placed.add(new Placed(receipts.get(i), there ? Standing.FREE : place(conn, events.get(i), ownerId)));
            }
            return placed;
        }
    }

    private Standing place(Connection conn, EventEnvelope event, String ownerId) {
        if (event.isDelayed()) {
            return Standing.FREE;
        }
        // Whose transaction has not ended counts too: it may be the same one.
        StoredRow inserted = Objects.requireNonNull(table.row(event.eventId()));
        List<StoredRow> earlier =
                table.everything().filter(row -> isEarlier(row, inserted)).toList();
        if (earlier.stream().anyMatch(row -> !row.isHeldBy(ownerId))) {
            return Standing.FREE;
        }
        leases.lock(conn, event.eventId(), ownerId);
        return earlier.isEmpty() ? Standing.FIRST : Standing.BEHIND;
    }

    /** The unfinished events of the same key that came before, whose transactions have committed. */
    private Stream<StoredRow> earlier(StoredRow of) {
        return table.select(row -> isEarlier(row, of));
    }

    private static boolean isEarlier(StoredRow row, StoredRow than) {
        return row.hasSameKeyAs(than) && row.seq() < than.seq() && row.isUnfinished();
    }

    @Override
    public boolean isFirst(Connection conn, String eventId) {
        synchronized (table) {
            StoredRow row = table.row(eventId);
            return row == null || earlier(row).findAny().isEmpty();
        }
    }

    @Override
    public Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        return claim(conn, new ClaimRequest(ownerId, timeout, skipRecent, limit, Start.BEGINNING), List.of());
    }

    /** Always looks from the beginning. What is left out is never taken, and what is behind it does not follow. */
    @Override
    public Claimed claim(Connection conn, ClaimRequest request, Collection<AggregateKey> continued) {
        String ownerId = request.ownerId();
        Duration timeout = request.timeout();
        int limit = request.limit();
        synchronized (table) {
            Instant now = leases.now();
            List<StoredRow> free = table.select(
                            row -> InMemoryLeaseStore.isClaimable(row, now, timeout, request.skipRecent()))
                    .filter(row -> !row.isOneOf(request.leftOut()))
                    .sorted(BY_SEQ)
                    .toList();
            Set<String> taken = new LinkedHashSet<>();
            List<Run> runs = new ArrayList<>();
            for (StoredRow row : free) {
                List<StoredRow> earlier = earlier(row).sorted(BY_SEQ).toList();
                boolean follows = earlier.size() < LONGEST_LINE
                        && earlier.stream()
                                .allMatch(
                                        before -> taken.contains(before.event().eventId())
                                                || isMine(before, ownerId, now, timeout));
                if (follows && taken.size() < limit) {
                    taken.add(row.event().eventId());
                    Set<String> ahead = new LinkedHashSet<>();
                    earlier.forEach(before -> ahead.add(before.event().eventId()));
                    runs.add(new Run(List.of(leases.take(conn, row, ownerId, ahead.isEmpty())), ahead));
                }
            }
            return new Claimed(runs, taken.size() < free.size());
        }
    }

    private static boolean isMine(StoredRow row, String ownerId, Instant now, Duration timeout) {
        return row.isHeldBy(ownerId) && !row.isFree(now.minus(timeout));
    }

    @Override
    public List<BlockedKey> blockedKeys(Connection conn, int limit) {
        synchronized (table) {
            return table.select(row -> row.hasKey()
                            && hasFailed(row)
                            && earlier(row).findAny().isEmpty())
                    .sorted(BY_SEQ)
                    .limit(limit)
                    .map(this::blockedKey)
                    .toList();
        }
    }

    private static boolean hasFailed(StoredRow row) {
        return row.state().status() == EventStatus.RETRY || row.holdsKey();
    }

    private BlockedKey blockedKey(StoredRow row) {
        long waiting = table.select(later -> later.hasSameKeyAs(row) && later.seq() > row.seq() && later.isPending())
                .count();
        return new BlockedKey(
                row.event().aggregateType(),
                Objects.requireNonNull(row.event().aggregateId()),
                row.event().eventId(),
                row.state().status(),
                row.state().attempts(),
                row.state().lastError(),
                (int) waiting);
    }

    @Override
    public Set<String> holdingKeys(Connection conn, Collection<String> eventIds) {
        synchronized (table) {
            return table.select(row -> eventIds.contains(row.event().eventId()) && row.holdsKey())
                    .map(row -> row.event().eventId())
                    .collect(Collectors.toSet());
        }
    }

    @Override
    public int letKeyGo(Connection conn, String eventId) {
        return table.change(conn, eventId, StoredRow::holdsKey, state -> StoredRow.locked(state, null, null));
    }

    /** There is nothing that could be missing. */
    @Override
    public void checkSchema(Connection conn) {}
}
