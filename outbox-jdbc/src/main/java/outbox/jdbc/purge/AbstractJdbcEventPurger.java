package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.spi.EventPurger;
import outbox.spi.OrderedStore;

/**
 * Deletes finished events in SQL that H2 and PostgreSQL share. Thread-safe.
 *
 * <p>An event's end is {@code done_at} or, for a row that something else has marked without setting it, {@code created_at}. The two
 * cases are looked up one by one because no index serves their {@code COALESCE}.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

    /** A DEAD event that holds its key is kept until a person has decided: without it the later ones of its key would go on. */
    static final String FINISHED =
            "status IN (1, 3) AND (locked_by IS NULL OR locked_by <> '" + OrderedStore.KEY_HELD + "')";

    private final TableName table;

    /** Purges the given table. */
    protected AbstractJdbcEventPurger(TableName table) {
        this.table = Objects.requireNonNull(table, "table");
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be >= 1, was " + limit);
        }
        try {
            return delete(conn, table.toString(), before, limit);
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot purge table " + table, e);
        }
    }

    /** Deletes up to {@code limit} rows. */
    protected int delete(Connection conn, String tableName, Instant before, int limit) throws SQLException {
        String sql = "DELETE FROM " + tableName + " WHERE event_id IN (SELECT event_id FROM ("
                + "(SELECT event_id FROM " + tableName
                + " WHERE " + FINISHED + " AND done_at < ? ORDER BY done_at LIMIT ?)"
                + " UNION ALL "
                + "(SELECT event_id FROM " + tableName
                + " WHERE " + FINISHED + " AND done_at IS NULL AND created_at < ? LIMIT ?)"
                + ") AS finished LIMIT ?)";
        return JdbcTemplate.update(conn, sql, before, limit, before, limit, limit);
    }
}
