package outbox.jdbc.internal.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import outbox.internal.payload.PayloadText;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.EventIds;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;

/**
 * Reads payloads that are not text, in a statement of their own, and only if a row says that it has one: nobody else pays for them, and a table of an
 * older version does not need their columns. Thread-safe.
 */
public final class BytesRows {

    /** The columns of such a payload. */
    public static final String COLUMNS = "payload_bytes, content_type";

    private static final String BYTES = "payload_bytes";

    private final Binding binding;
    private final String table;
    private volatile boolean hasColumns;

    /** Those of a table. */
    public BytesRows(Binding binding, String table) {
        this.binding = binding;
        this.table = table;
    }

    /**
     * The same rows, with the bytes of those that have them.
     *
     * @param lock at the end of the statement; for who has locked the rows, on databases where a plain look would not show what a locking one has
     */
    public List<OutboxEvent> complete(Connection conn, List<OutboxEvent> rows, String lock) throws SQLException {
        Map<String, BytesPayload> bytes = read(conn, rows.stream(), lock);
        return bytes.isEmpty()
                ? rows
                : rows.stream().map(row -> complete(row, bytes)).toList();
    }

    /** The row with its bytes, if it has any. */
    public static OutboxEvent complete(OutboxEvent row, Map<String, BytesPayload> bytes) {
        BytesPayload own = bytes.get(row.eventId());
        return own == null ? row : row.with(own);
    }

    /** The bytes of those rows that say that they have them, by the ids of the events. */
    public Map<String, BytesPayload> read(Connection conn, Stream<OutboxEvent> rows, String lock) throws SQLException {
        List<String> having = rows.filter(row -> PayloadText.OF_BYTES.equals(row.payloadJson()))
                .map(OutboxEvent::eventId)
                .toList();
        if (having.isEmpty() || !hasColumns(conn)) {
            return Map.of();
        }
        EventIds ids = binding.ids(having);
        String sql = "SELECT event_id, " + COLUMNS + " FROM " + table + " WHERE " + ids.condition()
                + " AND payload_bytes IS NOT NULL AND content_type IS NOT NULL" + lock;
        Map<String, BytesPayload> bytes = new HashMap<>();
        JdbcTemplate.query(
                conn,
                sql,
                row -> bytes.put(row.getString(1), BytesPayload.of(row.getBytes(2), row.getString(3))),
                ids.params().toArray());
        return bytes;
    }

    /** Asked until they are there, and not for again: somebody may add them while this process runs. */
    private boolean hasColumns(Connection conn) throws SQLException {
        if (!hasColumns) {
            try (PreparedStatement statement = conn.prepareStatement("SELECT * FROM " + table + " WHERE 1 = 0");
                    ResultSet none = statement.executeQuery()) {
                ResultSetMetaData columns = none.getMetaData();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    hasColumns |= columns.getColumnName(i).equalsIgnoreCase(BYTES);
                }
            }
        }
        return hasColumns;
    }
}
