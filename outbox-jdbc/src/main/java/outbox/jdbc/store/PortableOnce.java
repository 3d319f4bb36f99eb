package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.Failure;

/**
 * Inserts what is not there yet with plain inserts, for a database on which one that fails is undone alone and leaves the transaction usable.
 * MySQL's {@code INSERT IGNORE} would also ignore values that do not fit, and the count of {@code ON DUPLICATE KEY UPDATE} does not tell
 * through every driver what was inserted.
 *
 * <p>Usually nothing is there. Otherwise a read without locks finds what is, and the rest is inserted; what the read could not see, because
 * the transaction's snapshot is older, is found by inserting one by one. Reading an id that is not there with a lock is avoided: it would
 * lock the gap, and two transactions that did so could not insert into it.
 */
final class PortableOnce {

    private static final String RETURNING = " RETURNING event_id, seq";

    private final EventTable table;
    private final Sequences sequences;

    PortableOnce(EventTable table) {
        this.table = table;
        this.sequences = new Sequences(table);
    }

    /** The statement that inserts some events. */
    @FunctionalInterface
    interface Insert {
        Inserts.Sql of(List<EventEnvelope> events);
    }

    void insert(Connection conn, List<EventEnvelope> chunk, Insert insert, OnceInserts.Found found)
            throws SQLException {
        try {
            insertAll(conn, chunk, insert, found);
        } catch (SQLException e) {
            requireDuplicate(e);
            if (chunk.size() == 1) {
                readBack(conn, chunk.get(0), found, e);
            } else {
                insertUnseen(conn, chunk, insert, found);
            }
        }
    }

    private void insertUnseen(Connection conn, List<EventEnvelope> chunk, Insert insert, OnceInserts.Found found)
            throws SQLException {
        Map<String, OptionalLong> seen =
                sequences.of(conn, chunk.stream().map(EventEnvelope::eventId).toList(), "");
        found.there(seen);
        List<EventEnvelope> unseen = chunk.stream()
                .filter(event -> !seen.containsKey(event.eventId()))
                .toList();
        if (unseen.isEmpty()) {
            return;
        }
        try {
            insertAll(conn, unseen, insert, found);
        } catch (SQLException e) {
            requireDuplicate(e);
            for (EventEnvelope event : unseen) {
                insertOne(conn, event, insert, found);
            }
        }
    }

    private void insertOne(Connection conn, EventEnvelope event, Insert insert, OnceInserts.Found found)
            throws SQLException {
        try {
            insertAll(conn, List.of(event), insert, found);
        } catch (SQLException e) {
            requireDuplicate(e);
            readBack(conn, event, found, e);
        }
    }

    /** If it is not there, something else was there twice, and that is an error. */
    private void readBack(Connection conn, EventEnvelope event, OnceInserts.Found found, SQLException refused)
            throws SQLException {
        Map<String, OptionalLong> there = sequences.of(
                conn, List.of(event.eventId()), table.dialect().locking().currentRead());
        if (there.isEmpty()) {
            throw refused;
        }
        found.there(there);
    }

    private void insertAll(Connection conn, List<EventEnvelope> events, Insert insert, OnceInserts.Found found)
            throws SQLException {
        Inserts.Sql sql = insert.of(events);
        if (!table.columns().hasSequence(conn)) {
            JdbcTemplate.update(conn, sql.text(), sql.params().toArray());
            events.forEach(event -> found.inserted(event.eventId(), OptionalLong.empty()));
            return;
        }
        if (!table.dialect().capabilities().insertsReturning()) {
            JdbcTemplate.update(conn, sql.text(), sql.params().toArray());
            sequences
                    .of(conn, events.stream().map(EventEnvelope::eventId).toList(), "")
                    .forEach(found::inserted);
        } else {
            JdbcTemplate.updateReturning(
                    conn, sql.text() + RETURNING, found::inserted, sql.params().toArray());
        }
    }

    private void requireDuplicate(SQLException e) throws SQLException {
        if (!table.dialect().failures().is(Failure.DUPLICATE, e)) {
            throw e;
        }
    }
}
