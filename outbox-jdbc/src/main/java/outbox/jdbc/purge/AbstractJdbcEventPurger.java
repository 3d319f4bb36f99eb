package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.RolledBackWork;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;

/**
 * Deletes finished events. Thread-safe.
 *
 * <p>An event's end is {@code done_at} or, for a row that something else has marked without setting it, {@code created_at}. How events are
 * found, locked and deleted: {@link ExpiredRows}.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

    private final TableName table;
    private final Dialect dialect;

    /** Purges the given table in portable SQL. */
    protected AbstractJdbcEventPurger(TableName table) {
        this(table, Dialect.PORTABLE);
    }

    /** Purges the given table as its database does it best. */
    protected AbstractJdbcEventPurger(TableName table, Dialect dialect) {
        this.table = Objects.requireNonNull(table, "table");
        this.dialect = Objects.requireNonNull(dialect, "dialect");
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
        ExpiredRows rows = new ExpiredRows(dialect, tableName, PurgeRuns.Expiry.of(before), null);
        int deleted = 0;
        while (deleted < limit && rows.hasMore()) {
            deleted += rows.deleteNext(conn, limit - deleted);
        }
        return deleted;
    }

    @Override
    public @Nullable PurgeRuns runs() {
        return (expiry, beforeDelete) -> {
            ExpiredRows rows = new ExpiredRows(dialect, table.toString(), expiry, beforeDelete);
            return (connections, limit) -> next(rows, connections, limit);
        };
    }

    /** One batch in a transaction of its own. The pass moves on only behind what was deleted, so a batch can be repeated. */
    final PurgeRuns.Batch next(ExpiredRows rows, ConnectionProvider connections, int limit) throws SQLException {
        requireLimit(limit);
        try {
            int deleted = ShortTransaction.run(
                    connections,
                    conn -> RolledBackWork.repeat(() -> rows.deleteNext(conn, limit), conn::getAutoCommit));
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

    final Dialect dialect() {
        return dialect;
    }

    @Override
    public final String purgedTable() {
        return table.toString();
    }
}
