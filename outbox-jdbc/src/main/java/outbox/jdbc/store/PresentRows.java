package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;

/** Finds rows by their ids, with a plain read: it sees what is committed, and waits for nobody. */
final class PresentRows {

    private final EventTable table;

    PresentRows(EventTable table) {
        this.table = table;
    }

    Set<String> find(Connection conn, Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? Set.of()
                : table.run("look for " + eventIds.size() + " event(s)", () -> select(conn, table.ids(eventIds)));
    }

    private Set<String> select(Connection conn, EventIds ids) throws SQLException {
        String select = "SELECT event_id FROM " + table.byPrimaryKey() + " WHERE " + ids.condition();
        return new HashSet<>(JdbcTemplate.query(
                conn, select, row -> row.getString(1), ids.params().toArray()));
    }
}
