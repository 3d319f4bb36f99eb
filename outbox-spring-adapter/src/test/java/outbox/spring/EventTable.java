package outbox.spring;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/** Inserts into the table of {@link TestDatabase}; the rest of the store is not needed here. */
final class EventTable implements OutboxStore {

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        try (PreparedStatement insert = conn.prepareStatement("INSERT INTO event VALUES (?, ?)")) {
            insert.setString(1, event.eventId());
            insert.setString(2, event.eventType());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        throw new UnsupportedOperationException();
    }
}
