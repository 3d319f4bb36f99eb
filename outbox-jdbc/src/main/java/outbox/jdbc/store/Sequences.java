package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;

/** Reads back which events are there, and with which sequence. */
final class Sequences {

    private final EventTable table;

    Sequences(EventTable table) {
        this.table = table;
    }

    /** As {@link #of}, with a plain read. */
    Map<String, OptionalLong> find(Connection conn, Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? Map.of()
                : table.run("look for " + eventIds.size() + " event(s)", () -> of(conn, eventIds, ""));
    }

    /** The sequences of those that are there; empty ones if the table has none. */
    Map<String, OptionalLong> of(Connection conn, Collection<String> eventIds, String lockClause) throws SQLException {
        EventIds ids = table.ids(eventIds);
        String seq = table.columns().hasSequence(conn) ? "seq" : "NULL";
        Map<String, OptionalLong> sequences = new LinkedHashMap<>();
        JdbcTemplate.query(
                conn,
                "SELECT event_id, " + seq + " FROM " + table.name() + " WHERE " + ids.condition() + lockClause,
                row -> sequences.put(row.getString(1), JdbcTemplate.getLong(row, 2)),
                ids.params().toArray());
        return sequences;
    }
}
