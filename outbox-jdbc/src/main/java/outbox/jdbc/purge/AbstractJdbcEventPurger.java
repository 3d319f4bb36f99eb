package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.ShortTransaction;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.Deadlocks;
import outbox.jdbc.internal.EventIds;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;

/**
 * Deletes finished events in portable SQL; a dialect overrides what its database does better. Thread-safe.
 *
 * <p>An event's end is {@code done_at} or, for a row that something else has marked without setting it, {@code created_at}. How events are
 * found, locked and deleted: {@link ExpiredRows}.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

    private final TableName table;

    /** Purges the given table. */
    protected AbstractJdbcEventPurger(TableName table) {
        this.table = Objects.requireNonNull(table, "table");
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        requireLimit(limit);
        try {
            return delete(conn, table.toString(), before, limit);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Deletes up to {@code limit} rows for {@link #purge}. A dialect that overrides this because it needs other SQL overrides
     * {@link #runs()} as well.
     */
    protected int delete(Connection conn, String tableName, Instant before, int limit) throws SQLException {
        ExpiredRows rows = new ExpiredRows(this, tableName, PurgeRuns.Expiry.of(before), null);
        int deleted = 0;
        while (deleted < limit && rows.hasMore()) {
            deleted += rows.deleteNext(conn, limit - deleted);
        }
        return deleted;
    }

    @Override
    public @Nullable PurgeRuns runs() {
        return (expiry, beforeDelete) -> {
            ExpiredRows rows = new ExpiredRows(this, table.toString(), expiry, beforeDelete);
            return (connections, limit) -> next(rows, connections, limit);
        };
    }

    /** One batch in a transaction of its own. The pass moves on only behind what was deleted, so a batch can be repeated. */
    final PurgeRuns.Batch next(ExpiredRows rows, ConnectionProvider connections, int limit) throws SQLException {
        requireLimit(limit);
        try {
            int deleted = ShortTransaction.run(
                    connections, conn -> Deadlocks.retry(conn, () -> rows.deleteNext(conn, limit)));
            return new PurgeRuns.Batch(deleted, rows.hasMore(), rows.position());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static void requireLimit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be >= 1, was " + limit);
        }
    }

    private OutboxStoreException failed(SQLException e) {
        return new OutboxStoreException("Cannot purge table " + table, e);
    }

    final TableName table() {
        return table;
    }

    @Override
    public final String purgedTable() {
        return table.toString();
    }

    /** Whether the database understands {@code FOR UPDATE SKIP LOCKED}. By default not: then a purge waits for rows that others hold. */
    protected boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return false;
    }

    /** What stands behind the table's name in statements that must find their rows by primary key. By default nothing. */
    String primaryKeyHint() {
        return "";
    }

    /** The statement that deletes so many rows by primary key. */
    String deletion(String tableName, EventIds ids, int rows) {
        return "DELETE FROM " + tableName + " WHERE " + ids.condition();
    }

    /** How several events are named in a condition; by default by a list of placeholders. */
    EventIds eventIds(Collection<String> ids) {
        return EventIds.inList(ids);
    }
}
