package outbox.testsupport;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.EventEnvelope;
import outbox.internal.text.RowWords;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testsupport.RecordingStore.Row;

/** Order among the rows of an {@link OrderedTable}; its calls are recorded in the table's journal. */
final class RecordingOrder implements OrderedStore {

    private final OrderedTable table;
    private final Clock clock;
    private volatile boolean turnsForgotten;

    RecordingOrder(OrderedTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
    }

    void forgetTurns(boolean forgotten) {
        turnsForgotten = forgotten;
    }

    @Override
    public List<Standing> insert(Connection conn, List<EventEnvelope> events, String ownerId) {
        synchronized (table) {
            table.called("order.insert " + RecordingLeases.nameOf(ownerId) + " "
                    + events.stream().map(EventEnvelope::eventId).toList());
            List<Standing> standings =
                    events.stream().map(event -> standing(event, ownerId)).toList();
            for (int i = 0; i < events.size(); i++) {
                insert(events.get(i), standings.get(i) == Standing.FREE ? null : ownerId);
            }
            return standings;
        }
    }

    private void insert(EventEnvelope event, String ownerId) {
        table.insert(event);
        if (ownerId != null) {
            table.lock(event.eventId(), ownerId);
        }
    }

    /** As a single statement sees it, which does not see the events of its own batch. */
    private Standing standing(EventEnvelope event, String ownerId) {
        List<Row> unfinished = event.aggregateId() == null
                ? List.of()
                : table.rowsOf(event.aggregateId()).stream()
                        .filter(OrderedTable::isUnfinished)
                        .toList();
        if (unfinished.isEmpty()) {
            return Standing.FIRST;
        }
        return unfinished.stream()
                        .allMatch(row -> RecordingLeases.nameOf(ownerId).equals(row.lockedBy))
                ? Standing.BEHIND
                : Standing.FREE;
    }

    @Override
    public boolean isFirst(Connection conn, String eventId) {
        table.called("order.isFirst " + eventId);
        if (turnsForgotten) {
            throw new IllegalStateException("nobody knows whose turn it is");
        }
        return !table.hasUnfinishedBefore(eventId);
    }

    @Override
    public Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit) {
        synchronized (table) {
            table.called("order.claim " + RecordingLeases.nameOf(ownerId) + " timeout=" + timeout + " skipRecent="
                    + skipRecent + " limit=" + limit);
            Map<String, Line> lines = new LinkedHashMap<>();
            int[] left = {limit};
            for (Row row : table.rows.values()) {
                String aggregateId = row.event.aggregateId();
                String key = aggregateId == null ? "event " + row.event.eventId() : "aggregate " + aggregateId;
                lines.computeIfAbsent(key, any -> new Line(ownerId, timeout, left))
                        .look(row);
            }
            return new Claimed(
                    lines.values().stream()
                            .filter(line -> !line.events.isEmpty())
                            .map(line -> new Run(line.events, line.ahead))
                            .toList(),
                    lines.values().stream().anyMatch(line -> line.othersWait));
        }
    }

    /** What a claim finds of one key. */
    private final class Line {
        private final String ownerId;
        private final Duration timeout;
        private final int[] left;
        private final List<LeaseStore.Taken> events = new ArrayList<>();
        private final Set<String> ahead = new LinkedHashSet<>();
        private boolean ended;
        private boolean othersWait;

        private Line(String ownerId, Duration timeout, int[] left) {
            this.ownerId = ownerId;
            this.timeout = timeout;
            this.left = left;
        }

        private void look(Row row) {
            if (!OrderedTable.isUnfinished(row)) {
                return;
            }
            boolean ours = RecordingLeases.nameOf(ownerId).equals(row.lockedBy)
                    && !row.lockedAt.isBefore(clock.instant().minus(timeout));
            if (ended) {
                othersWait |= !ours && row.isPending() && !row.availableAt.isAfter(clock.instant());
            } else if (ours && events.isEmpty()) {
                ahead.add(row.event.eventId());
            } else if (!ours && row.isPending() && left[0] > 0 && table.leases.take(row, ownerId, timeout)) {
                boolean canHaveBegun = ahead.isEmpty() && events.isEmpty();
                events.add(new LeaseStore.Taken(row.read(), canHaveBegun ? RowWords.suspicion(row.error) : null));
                left[0]--;
            } else {
                ended = true;
            }
        }
    }

    @Override
    public List<BlockedKey> blockedKeys(Connection conn, int limit) {
        table.called("order.blockedKeys " + limit);
        return List.of(new BlockedKey("Order", "1", "a", EventStatus.DEAD, 3, "no", 2));
    }

    @Override
    public int letKeyGo(Connection conn, String eventId) {
        synchronized (table) {
            table.called("order.letKeyGo " + eventId);
            Row row = table.rows.get(eventId);
            if (row == null || row.isPending() || !OrderedTable.isUnfinished(row)) {
                return 0;
            }
            row.lockedBy = null;
            return 1;
        }
    }

    @Override
    public void checkSchema(Connection conn) {
        table.called("order.checkSchema");
    }
}
