package outbox.domain;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.OutboxStore;

/** Records what became of an event; by its lease if the store has leases, so that one that has changed hands is left alone. */
interface RelayMarks {

    void done(Connection conn, Held event);

    void retry(Connection conn, Held event, Duration delay, String error);

    void dead(Connection conn, Held event, String error);

    static RelayMarks of(OutboxStore store, String ownerId, Clock clock) {
        LeaseStore leases = store.leases();
        return leases == null ? new Plain(store, clock) : new Leased(leases, ownerId);
    }

    /** By the database's clock. */
    record Leased(LeaseStore leases, String ownerId) implements RelayMarks {

        @Override
        public void done(Connection conn, Held event) {
            leases.markDone(conn, ownerId, List.of(event));
        }

        @Override
        public void retry(Connection conn, Held event, Duration delay, String error) {
            leases.markRetry(conn, ownerId, List.of(new LeaseStore.HeldRetry(event, delay, error)));
        }

        @Override
        public void dead(Connection conn, Held event, String error) {
            leases.markDead(conn, ownerId, List.of(new LeaseStore.HeldDead(event, error)));
        }
    }

    /** By the clock of this process. */
    record Plain(OutboxStore store, Clock clock) implements RelayMarks {

        @Override
        public void done(Connection conn, Held event) {
            store.markDone(conn, event.eventId());
        }

        @Override
        public void retry(Connection conn, Held event, Duration delay, String error) {
            store.markRetry(conn, event.eventId(), clock.instant().plus(delay), error);
        }

        @Override
        public void dead(Connection conn, Held event, String error) {
            store.markDead(conn, event.eventId(), error);
        }
    }
}
