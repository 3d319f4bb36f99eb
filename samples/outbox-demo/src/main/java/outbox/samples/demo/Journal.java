package outbox.samples.demo;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** Writes down every delivery, good or bad, in a table: the evidence that the closing table is counted from. */
final class Journal {

    /** What happened to an event. */
    enum Outcome {
        DELIVERED,
        FAILED,
        REPLAYED
    }

    /** One line of the journal. */
    record Entry(Outcome outcome, @Nullable String error) {}

    private static final String INSERT =
            "INSERT INTO delivery_journal (event_id, order_id, outcome, error, after_commit_ns) VALUES (?, ?, ?, ?, ?)";

    private final Database database;

    Journal(Database database) {
        this.database = database;
    }

    /** The listener has done its work; the time from the commit to its start is known if this process wrote the event. */
    void delivered(EventEnvelope event, @Nullable Long nanosAfterCommit) throws SQLException {
        write(event.eventId(), Order.idOf(event), Outcome.DELIVERED, null, nanosAfterCommit);
    }

    void failed(EventEnvelope event, Exception error) throws SQLException {
        write(event.eventId(), Order.idOf(event), Outcome.FAILED, error.toString(), null);
    }

    void replayed(String eventId, String orderId) throws SQLException {
        write(eventId, orderId, Outcome.REPLAYED, null, null);
    }

    /** What happened to one order's event, in order. */
    List<Entry> entriesOf(String orderId) throws SQLException {
        return database.query(
                "SELECT outcome, error FROM delivery_journal WHERE order_id = ? ORDER BY id",
                row -> new Entry(Outcome.valueOf(row.getString(1)), row.getString(2)),
                orderId);
    }

    private void write(
            String eventId, String orderId, Outcome outcome, @Nullable String error, @Nullable Long nanosAfterCommit)
            throws SQLException {
        database.update(INSERT, eventId, orderId, outcome.name(), error, nanosAfterCommit);
    }
}
