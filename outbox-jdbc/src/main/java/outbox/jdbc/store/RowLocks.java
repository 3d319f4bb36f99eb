package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Locking;

/** Locks rows of which others may have some. */
final class RowLocks {

    private final EventTable table;
    private final Locking locking;

    RowLocks(EventTable table) {
        this.table = table;
        this.locking = table.dialect().locking();
    }

    boolean canSkip(Connection conn) {
        return table.run("ask for the database's version", () -> locking.knowsSkipLocked(conn.getMetaData()));
    }

    /** Locks what nobody else has, and returns the rest. */
    Set<String> lockOrSkip(Connection conn, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        return table.run("lock " + eventIds.size() + " event(s)", () -> {
            if (!locking.knowsSkipLocked(conn.getMetaData())) {
                throw new UnsupportedOperationException("Locked rows cannot be passed over; see canSkipLocked");
            }
            Set<String> others = new HashSet<>(eventIds);
            others.removeAll(existing(conn, eventIds, locking.forUpdateSkipLocked()));
            // What is not there has not been locked by anybody.
            return others.isEmpty() ? others : existing(conn, others, "");
        });
    }

    private Set<String> existing(Connection conn, Collection<String> eventIds, String lockClause) throws SQLException {
        EventIds ids = table.ids(eventIds);
        String sql = "SELECT event_id FROM " + table.byPrimaryKey() + " WHERE " + ids.condition() + lockClause;
        return new HashSet<>(JdbcTemplate.query(
                conn, sql, row -> row.getString(1), ids.params().toArray()));
    }
}
