package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;
import outbox.jdbc.TableName;

/** Inserts any number of events, with one statement for as many as the database takes at once. */
abstract class InsertStatement {

    static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,"
            + " status, attempts, available_at, created_at";

    /** Keeps a statement below the packet limit of MySQL and MariaDB. */
    static final int MAX_CHARS = 4 * 1024 * 1024;

    private final ColumnWidths widths;
    private final int maxRows;
    private final String into;

    /** With leases if the events are to belong to an owner from the beginning. */
    InsertStatement(TableName table, int maxRows, boolean leased) {
        this.widths = new ColumnWidths(table);
        this.maxRows = maxRows;
        this.into = "INSERT INTO " + table + " (" + COLUMNS + (leased ? ", locked_by, locked_at) " : ") ");
    }

    /** The beginning of the statement, up to the names of the columns. */
    final String into() {
        return into;
    }

    /**
     * Returns the number of statements that were needed.
     *
     * @param leased {@link BornLeased#NONE} if the statement leases nothing
     */
    final int execute(Connection conn, List<EventEnvelope> events, BornLeased leased) throws SQLException {
        events.forEach(widths::check);
        List<List<EventEnvelope>> chunks = chunks(events, maxRows);
        for (List<EventEnvelope> chunk : chunks) {
            insert(conn, chunk, leased);
        }
        return chunks.size();
    }

    /** What fits into one statement each. */
    static List<List<EventEnvelope>> chunks(List<EventEnvelope> events, int maxRows) {
        List<List<EventEnvelope>> chunks = new ArrayList<>();
        int from = 0;
        while (from < events.size()) {
            int to = endOfChunk(events, from, maxRows);
            chunks.add(events.subList(from, to));
            from = to;
        }
        return chunks;
    }

    /** Inserts at least one event and at most as many as fit into a statement. */
    abstract void insert(Connection conn, List<EventEnvelope> chunk, BornLeased leased) throws SQLException;

    private static int endOfChunk(List<EventEnvelope> events, int from, int maxRows) {
        int to = from;
        long chars = 0;
        while (to < events.size() && to - from < maxRows) {
            chars += events.get(to).payloadJson().length();
            if (to > from && chars > MAX_CHARS) {
                break;
            }
            to++;
        }
        return to;
    }
}
