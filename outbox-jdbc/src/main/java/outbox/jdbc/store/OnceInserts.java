package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.EventIds;

/**
 * Inserts those events whose id is not there yet. What a dialect does is to insert what it can; here the same id twice is sorted out, what is
 * there already is read back, and if that was not allowed, all is undone: by deleting, because a savepoint would cost every write two
 * statements more.
 */
final class OnceInserts {

    private final EventTable table;
    private final Sequences sequences;

    OnceInserts(EventTable table) {
        this.table = table;
        this.sequences = new Sequences(table);
    }

    /** What has become known of events, by their ids. */
    static final class Found {
        private final Map<String, OptionalLong> inserted = new LinkedHashMap<>();
        private final Map<String, OptionalLong> there = new LinkedHashMap<>();

        void inserted(String eventId, OptionalLong sequence) {
            inserted.put(eventId, sequence);
        }

        /** Reads a row with the id of an event that was inserted and its sequence. */
        boolean inserted(ResultSet row) throws SQLException {
            inserted(row.getString(1), JdbcTemplate.getLong(row, 2));
            return true;
        }

        void there(Map<String, OptionalLong> sequences) {
            there.putAll(sequences);
        }
    }

    /** Inserts what is not there yet of at most as many events as fit into a statement, and tells what it did. */
    @FunctionalInterface
    interface Attempt {
        void on(List<EventEnvelope> chunk, Found found) throws SQLException;
    }

    /** Inserts with statements of a database's own. */
    List<WriteReceipt> insert(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, Inserts inserts, Inserts.Lease lease) {
        return insert(conn, events, policy, (chunk, found) -> inserts.insertMissing(conn, chunk, lease, found));
    }

    List<WriteReceipt> insert(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, Attempt attempt) {
        return table.insertMissing(events, () -> execute(conn, events, policy, attempt));
    }

    private List<WriteReceipt> execute(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, Attempt attempt) throws SQLException {
        Map<String, EventEnvelope> distinct = new LinkedHashMap<>();
        Set<String> twice = new LinkedHashSet<>();
        for (EventEnvelope event : events) {
            if (distinct.putIfAbsent(event.eventId(), event) != null) {
                twice.add(event.eventId());
            }
        }
        if (policy == DuplicatePolicy.FAIL && !twice.isEmpty()) {
            throw new DuplicateEventException(List.copyOf(twice), table.name().toString());
        }
        Found found = new Found();
        for (List<EventEnvelope> chunk : Inserts.chunks(List.copyOf(distinct.values()), Inserts.MAX_ROWS)) {
            attempt.on(chunk, found);
        }
        if (found.inserted.size() < distinct.size()) {
            settle(conn, distinct.keySet(), policy, found);
        }
        return receipts(events, found);
    }

    private void settle(Connection conn, Set<String> ids, DuplicatePolicy policy, Found found) throws SQLException {
        List<String> there =
                ids.stream().filter(id -> !found.inserted.containsKey(id)).toList();
        if (policy == DuplicatePolicy.FAIL) {
            delete(conn, found.inserted.keySet());
            throw new DuplicateEventException(there, table.name().toString());
        }
        List<String> unknown =
                there.stream().filter(id -> !found.there.containsKey(id)).toList();
        if (!unknown.isEmpty() && table.columns().hasSequence(conn)) {
            found.there(sequences.of(conn, unknown, ""));
        }
    }

    private void delete(Connection conn, Collection<String> eventIds) throws SQLException {
        if (!eventIds.isEmpty()) {
            EventIds ids = table.ids(eventIds);
            JdbcTemplate.update(
                    conn,
                    "DELETE FROM " + table.name() + " WHERE " + ids.condition(),
                    ids.params().toArray());
        }
    }

    /** Of an id that is given twice, the first one was inserted. One that was removed since it was found has no sequence any more. */
    private static List<WriteReceipt> receipts(List<EventEnvelope> events, Found found) {
        List<WriteReceipt> receipts = new ArrayList<>(events.size());
        Set<String> seen = new LinkedHashSet<>();
        for (EventEnvelope event : events) {
            String id = event.eventId();
            OptionalLong inserted = found.inserted.get(id);
            if (inserted == null) {
                receipts.add(WriteReceipt.alreadyThere(id, found.there.getOrDefault(id, OptionalLong.empty())));
            } else {
                receipts.add(
                        seen.add(id) ? WriteReceipt.written(id, inserted) : WriteReceipt.alreadyThere(id, inserted));
            }
        }
        return receipts;
    }
}
