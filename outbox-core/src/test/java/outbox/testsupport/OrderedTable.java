package outbox.testsupport;

import java.time.Clock;
import java.util.List;
import java.util.Objects;
import outbox.model.EventStatus;
import outbox.spi.OrderedStore;

/** An in-memory table that keeps events in the order of their inserts; all aggregates have the same type. */
public class OrderedTable extends LeasingStore {

    private final Clock clock;
    private final RecordingOrder order;

    public OrderedTable(Clock clock) {
        super(clock);
        this.clock = clock;
        this.order = new RecordingOrder(this, clock);
    }

    @Override
    public final OrderedStore ordered() {
        return order;
    }

    /** Lets {@code isFirst} fail from now on, or work again. */
    public final void forgetTurns(boolean forgotten) {
        order.forgetTurns(forgotten);
    }

    /** The calls that are about order, in order. */
    public final List<String> orderCalls() {
        return calls().stream().filter(call -> call.startsWith("order.")).toList();
    }

    /** The ids of all events, in order. */
    public final synchronized List<String> ids() {
        return List.copyOf(rows.keySet());
    }

    /** The ids of an aggregate's events, in order. */
    public final synchronized List<String> idsOf(String aggregateId) {
        return rowsOf(aggregateId).stream().map(row -> row.event.eventId()).toList();
    }

    final List<Row> rowsOf(String aggregateId) {
        return rows.values().stream()
                .filter(row -> Objects.equals(row.event.aggregateId(), aggregateId))
                .toList();
    }

    /** Whether an event that must end before this one has not. */
    public final synchronized boolean hasUnfinishedBefore(String id) {
        return rows.get(id).event.aggregateId() != null
                && rowsBefore(id).stream().anyMatch(OrderedTable::isUnfinished);
    }

    /** Whether the event is pending, or DEAD and keeps the later ones of its key waiting. */
    public final synchronized boolean isUnfinished(String id) {
        return isUnfinished(rows.get(id));
    }

    /** As if the transaction of its writer had been rolled back. */
    public final synchronized void remove(String id) {
        rows.remove(id);
    }

    /** Leases the event directly, without a claim. */
    public final synchronized void lock(String id, String ownerId) {
        rows.get(id).lockedBy = RecordingLeases.nameOf(ownerId);
        rows.get(id).lockedAt = clock.instant();
    }

    /** The event's delay has passed. */
    public final synchronized void makeDue(String id) {
        rows.get(id).availableAt = clock.instant();
    }

    private List<Row> rowsBefore(String id) {
        List<Row> line = rowsOf(rows.get(id).event.aggregateId());
        return line.subList(0, line.indexOf(rows.get(id)));
    }

    static boolean isUnfinished(Row row) {
        return row.isPending() || (row.status == EventStatus.DEAD && OrderedStore.KEY_HELD.equals(row.lockedBy));
    }
}
