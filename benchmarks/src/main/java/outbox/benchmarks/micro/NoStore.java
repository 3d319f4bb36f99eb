package outbox.benchmarks.micro;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/** A store that costs nothing, so that the rest can be seen. */
final class NoStore implements OutboxStore {

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {}

    @Override
    public int markDone(Connection conn, String eventId) {
        return 1;
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return 1;
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return 1;
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return List.of();
    }
}
