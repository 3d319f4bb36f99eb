package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Calendar;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.spi.LeaseStore.ClaimRequest;
import outbox.spi.LeaseStore.Position;
import outbox.spi.OrderedStore.AggregateKey;

/** Finds events that are free and due, those that are due longest first, and tells of each what order needs to know. */
final class DueEvents {

    private static final String COLUMNS =
            "event_id, aggregate_type, aggregate_id, seq, available_at, created_at, status";

    private static final int RETRY = 2;

    private final EventTable table;
    private final PendingRows.Query dueLongest;

    DueEvents(EventTable table, DatabaseTime time) {
        this.table = table;
        this.dueLongest = new PendingRows(table).query(COLUMNS, Claims.free("", time));
    }

    /**
     * An event that is free and due.
     *
     * @param key null if it has none
     * @param moved whether it was due later than at its creation: events behind it may have been put off
     */
    record Candidate(
            String eventId, @Nullable AggregateKey key, long seq, Position position, Instant createdAt, boolean moved) {

        /** Up to where its key is of interest because of it. */
        long until() {
            return moved ? KeyQuery.NO_END : seq;
        }
    }

    List<Candidate> find(Connection conn, ClaimRequest request, @Nullable Position from, int limit)
            throws SQLException {
        List<Object> free = Claims.freeParams(request.timeout(), request.skipRecent());
        PendingRows.Range range = new PendingRows.Range(from, limit, request.leftOut());
        Calendar utc = JdbcTemplate.utcCalendar();
        return JdbcTemplate.query(
                conn, dueLongest.text(range), row -> candidate(row, utc), dueLongest.params(free, range));
    }

    private Candidate candidate(ResultSet row, Calendar utc) throws SQLException {
        String eventId = row.getString(1);
        String type = row.getString(2);
        String id = row.getString(3);
        Instant availableAt = time(row, 5, utc);
        Instant createdAt = time(row, 6, utc);
        return new Candidate(
                eventId,
                type == null || id == null ? null : new AggregateKey(type, id),
                row.getLong(4),
                new Position(availableAt, eventId),
                createdAt,
                row.getInt(7) == RETRY || availableAt.isAfter(createdAt));
    }

    private Instant time(ResultSet row, int column, Calendar utc) throws SQLException {
        return Objects.requireNonNullElse(table.binding().readTime(row, column, utc), Instant.EPOCH);
    }
}
