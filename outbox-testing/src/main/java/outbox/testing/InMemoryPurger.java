package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import outbox.OutboxException;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.EventStatus;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;

/** Deletes from the table in memory what ended long enough ago, and nothing that still holds its key. */
final class InMemoryPurger implements EventPurger {

    private static final PurgeRuns.BeforeDelete NOBODY = (conn, events) -> {};

    private final InMemoryTable table;

    InMemoryPurger(InMemoryTable table) {
        this.table = table;
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        return purge(conn, PurgeRuns.Expiry.of(before), limit, NOBODY);
    }

    @Override
    public PurgeRuns runs() {
        return (expiry, beforeDelete) -> (connections, limit) -> {
            PurgeRuns.BeforeDelete viewer = beforeDelete == null ? NOBODY : beforeDelete;
            int deleted = ShortTransaction.run(connections, conn -> purge(conn, expiry, limit, viewer));
            return new PurgeRuns.Batch(deleted, deleted >= limit, null);
        };
    }

    private int purge(Connection conn, PurgeRuns.Expiry expiry, int limit, PurgeRuns.BeforeDelete viewer) {
        synchronized (table) {
            List<StoredRow> expired = table.select(row -> !row.isUnfinished() && isExpired(row.state(), expiry))
                    .limit(limit)
                    .toList();
            if (!expired.isEmpty()) {
                show(conn, expired, viewer);
            }
            expired.forEach(row -> table.delete(conn, row));
            return expired.size();
        }
    }

    private static void show(Connection conn, List<StoredRow> rows, PurgeRuns.BeforeDelete viewer) {
        try {
            viewer.see(conn, rows.stream().map(StoredRow::event).toList());
        } catch (SQLException e) {
            throw new OutboxException("Cannot show " + rows.size() + " event(s) before they are deleted", e);
        }
    }

    private static boolean isExpired(StoredEvent state, PurgeRuns.Expiry expiry) {
        Instant before = state.status() == EventStatus.DEAD ? expiry.deadBefore() : expiry.doneBefore();
        return before != null && endOf(state).isBefore(before);
    }

    private static Instant endOf(StoredEvent state) {
        return state.doneAt() == null ? state.createdAt() : state.doneAt();
    }
}
