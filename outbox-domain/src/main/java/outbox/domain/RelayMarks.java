package outbox.domain;

import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;
import outbox.spi.OutboxStore;

/**
 * Records what became of an event; by its lease if the store has leases, so that one that has changed hands is left alone. Each method
 * returns whether it was still ours.
 */
interface RelayMarks {

    boolean done(Connection conn, Held event);

    boolean retry(Connection conn, Held event, Duration delay, String error);

    /** Without an error the row keeps the one that it has. */
    boolean dead(Connection conn, Held event, @Nullable String error);

    static RelayMarks of(OutboxStore store, String ownerId, Clock clock) {
        LeaseStore leases = store.leases();
        return leases == null ? new Plain(store, clock) : new Leased(leases, ownerId);
    }

    /** By the database's clock. */
    record Leased(LeaseStore leases, String ownerId) implements RelayMarks {

        @Override
        public boolean done(Connection conn, Held event) {
            return leases.markDone(conn, ownerId, List.of(event)).isEmpty();
        }

        @Override
        public boolean retry(Connection conn, Held event, Duration delay, String error) {
            return leases.markRetry(conn, ownerId, List.of(new LeaseStore.HeldRetry(event, delay, error)))
                    .isEmpty();
        }

        @Override
        public boolean dead(Connection conn, Held event, @Nullable String error) {
            return leases.markDead(conn, ownerId, List.of(new LeaseStore.HeldDead(event, error)))
                    .isEmpty();
        }
    }

    /** By the clock of this process. */
    record Plain(OutboxStore store, Clock clock) implements RelayMarks {

        @Override
        public boolean done(Connection conn, Held event) {
            return store.markDone(conn, event.eventId()) > 0;
        }

        @Override
        public boolean retry(Connection conn, Held event, Duration delay, String error) {
            return store.markRetry(conn, event.eventId(), clock.instant().plus(delay), error) > 0;
        }

        @Override
        public boolean dead(Connection conn, Held event, @Nullable String error) {
            return store.markDead(conn, event.eventId(), error == null ? LeaseStore.USED_UP : error) > 0;
        }
    }
}
