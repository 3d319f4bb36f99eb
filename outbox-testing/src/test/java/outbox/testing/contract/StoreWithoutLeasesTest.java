package outbox.testing.contract;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** What the contract makes of a store that has no leases, such as one that somebody else wrote before there were any. */
class StoreWithoutLeasesTest {

    /** The least that a store has to do. */
    private static final class LeastStore implements OutboxStore {
        @Override
        public void insertNew(Connection conn, EventEnvelope event) {}

        @Override
        public int markDone(Connection conn, String eventId) {
            return 0;
        }

        @Override
        public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
            return 0;
        }

        @Override
        public int markDead(Connection conn, String eventId, String error) {
            return 0;
        }

        @Override
        public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
            return List.of();
        }
    }

    private record Fixture(OutboxStore store) implements StoreFixture {
        @Override
        public EventPurger purger() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection connect() {
            throw new UnsupportedOperationException();
        }

        @Override
        public StoredEvent find(String eventId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void clear() {}
    }

    private static LeaseTest testOf(OutboxStore store) {
        return () -> new Fixture(store);
    }

    @Test
    void tests_of_leases_are_aborted_if_there_are_none() {
        assertThrows(TestAbortedException.class, () -> testOf(new LeastStore()).leases());
    }

    @Test
    void tests_of_leases_run_if_there_are_any() {
        assertDoesNotThrow(() -> testOf(new InMemoryOutboxStore()).leases());
    }

    @Test
    void a_fixture_that_cannot_let_time_pass_says_so() {
        assertThrows(
                UnsupportedOperationException.class,
                () -> new Fixture(new LeastStore()).letPass(Duration.ofSeconds(1)));
    }
}
