package outbox.testing;

import java.sql.Connection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows in memory, whose changes are undone when their transaction rolls back. Its monitor is the one lock of the store: who does
 * several things that belong together, or reads a stream of rows, holds it.
 */
final class InMemoryTable {

    static final Comparator<StoredRow> OLDEST_FIRST = Comparator.comparing(
                    (StoredRow row) -> row.event().createdAt())
            .thenComparing(row -> row.event().eventId());

    private final Map<String, StoredRow> rows = new HashMap<>();

    /** The row of an event, committed or not; null if there is none. */
    synchronized @Nullable StoredRow row(String id) {
        return rows.get(id);
    }

    /** What is committed, in order, oldest first. */
    synchronized Stream<StoredRow> select(Predicate<StoredRow> wanted) {
        return rows.values().stream().filter(StoredRow::visible).filter(wanted).sorted(OLDEST_FIRST);
    }

    /** Also what is not committed, in any order. */
    synchronized Stream<StoredRow> everything() {
        return rows.values().stream();
    }

    synchronized int change(
            Connection conn, String id, Predicate<StoredRow> allowed, UnaryOperator<StoredEvent> change) {
        StoredRow before = rows.get(id);
        if (before == null || !allowed.test(before)) {
            return 0;
        }
        rows.put(id, before.with(change));
        InMemoryConnection.whenEnded(conn, () -> {}, () -> put(before));
        return 1;
    }

    synchronized void delete(Connection conn, StoredRow row) {
        rows.remove(row.event().eventId());
        InMemoryConnection.whenEnded(conn, () -> {}, () -> put(row));
    }

    /** In place of the event's row, if there is one; whatever becomes of the transaction. */
    synchronized void put(StoredRow row) {
        rows.put(row.event().eventId(), row);
    }

    /** Makes a row visible to everybody. */
    synchronized void show(String id) {
        rows.computeIfPresent(id, (key, row) -> row.shown());
    }

    /** Whatever becomes of the transaction. */
    synchronized void remove(String id) {
        rows.remove(id);
    }

    synchronized void clear() {
        rows.clear();
    }
}
