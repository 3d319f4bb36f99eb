package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.EventIds;
import outbox.jdbc.dialect.Locking;
import outbox.jdbc.internal.rows.BytesRows;
import outbox.jdbc.internal.rows.EventRowMapper;
import outbox.model.OutboxEvent;
import outbox.spi.PurgeRuns.BeforeDelete;
import outbox.spi.PurgeRuns.Expiry;

/**
 * One pass over the rows of a table that may go.
 *
 * <p>The pass goes through four kinds of rows one by one, because each of them is found through the index on (status, done_at), in its
 * order: DONE and DEAD, with and without an end. A batch first reads the ids of candidates, without any lock. Then it locks them by
 * primary key, passing over those that others hold, and checks again that they may go: one that was replayed meanwhile may not. What it
 * could lock it deletes. So it waits for nobody, and two passes at once share the work.
 *
 * <p>The next batch looks only behind the last candidate, whether that could be deleted or not: rows that others hold neither hide what
 * lies behind them nor keep the pass from ending.
 */
final class ExpiredRows {

    private final Dialect dialect;
    private final String table;
    private final @Nullable BeforeDelete beforeDelete;
    private final BytesRows bytes;
    private final Deque<ExpiredKind> kinds;
    private @Nullable Candidate last;

    ExpiredRows(Dialect dialect, String table, Expiry expiry, @Nullable BeforeDelete beforeDelete) {
        this.dialect = dialect;
        this.table = table;
        this.beforeDelete = beforeDelete;
        this.bytes = new BytesRows(dialect.binding(), table);
        this.kinds = new ArrayDeque<>(ExpiredKind.of(expiry));
    }

    boolean hasMore() {
        return !kinds.isEmpty();
    }

    /** Where the pass stands, for people to read. */
    @Nullable
    String position() {
        ExpiredKind kind = kinds.peek();
        return kind == null || last == null ? null : kind.status() + " events that ended at " + last.end();
    }

    /**
     * Deletes some of the next candidates and returns how many; possibly none although there is more. In autocommit mode it is a
     * transaction of its own.
     */
    int deleteNext(Connection conn, int limit) throws SQLException {
        ExpiredKind kind = kinds.element();
        List<Candidate> found = kind.find(conn, new ExpiredKind.Source(dialect.binding(), table), last, limit);
        if (found.isEmpty()) {
            leave();
            return 0;
        }
        List<String> ids = found.stream().map(Candidate::eventId).toList();
        int deleted = ShortTransaction.atomically(conn, transaction -> delete(transaction, kind, ids));
        moveOn(found, limit);
        return deleted;
    }

    private void leave() {
        kinds.remove();
        last = null;
    }

    /** A column that tells times apart which Java cannot would show the same candidates again and again. */
    private void moveOn(List<Candidate> found, int limit) {
        Candidate newest = found.get(found.size() - 1);
        if (found.size() < limit || newest.equals(last)) {
            leave();
        } else {
            last = newest;
        }
    }

    private int delete(Connection conn, ExpiredKind kind, List<String> candidates) throws SQLException {
        List<String> locked = beforeDelete == null
                ? lock(conn, kind, candidates, "event_id", row -> row.getString(1))
                : lockAndShow(conn, kind, candidates, beforeDelete);
        if (locked.isEmpty()) {
            return 0;
        }
        EventIds ids = dialect.binding().ids(locked);
        String delete = dialect.hints().delete(table, ids.condition(), locked.size());
        return JdbcTemplate.update(conn, delete, ids.params().toArray());
    }

    private List<String> lockAndShow(Connection conn, ExpiredKind kind, List<String> candidates, BeforeDelete viewer)
            throws SQLException {
        List<OutboxEvent> events =
                lock(conn, kind, candidates, EventRowMapper.COLUMNS, new EventRowMapper(dialect.binding()));
        if (!events.isEmpty()) {
            viewer.see(conn, bytes.complete(conn, events, ""));
        }
        return events.stream().map(OutboxEvent::eventId).toList();
    }

    private <T> List<T> lock(
            Connection conn,
            ExpiredKind kind,
            List<String> candidates,
            String columns,
            JdbcTemplate.RowMapper<T> mapper)
            throws SQLException {
        EventIds ids = dialect.binding().ids(candidates);
        String sql = "SELECT " + columns + " FROM " + table + dialect.hints().primaryKey() + " WHERE " + ids.condition()
                + " AND " + kind.condition() + lockClause(conn);
        List<Object> params = new ArrayList<>(ids.params());
        params.add(dialect.binding().time(kind.before()));
        return JdbcTemplate.query(conn, sql, mapper, params.toArray());
    }

    private String lockClause(Connection conn) throws SQLException {
        Locking locking = dialect.locking();
        return locking.knowsSkipLocked(conn.getMetaData()) ? locking.forUpdateSkipLocked() : locking.forUpdate();
    }
}
