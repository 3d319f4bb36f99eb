package outbox.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.OutboxStore;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The store in memory keeps the same contract as the real ones. */
class InMemoryOutboxStoreTest extends OutboxStoreContract {

    private final ManualClock clock = ManualClock.at(Instant.now());
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTransactions transactions = new InMemoryTransactions();

    @Override
    public StoreFixture fixture() {
        return new InMemoryFixture(store, transactions, clock);
    }

    @Test
    void a_backlog_is_counted_up_to_the_limit() {
        store.leases().insertLeased(null, List.of(EventEnvelope.ofJson("Tick", "{}")), "owner");
        store.insertNew(
                null,
                EventEnvelope.builder("Tick").eventId("free").payloadJson("{}").build());
        store.insertNew(
                null,
                EventEnvelope.builder("Tick").eventId("done").payloadJson("{}").build());
        store.markDone(null, "done");

        assertEquals(new OutboxStore.Backlog(2, 1), store.countBacklog(null, 10));
        assertEquals(1, store.countBacklog(null, 1).pending());
    }

    @Test
    void a_lease_expires_when_it_is_older_than_the_timeout_and_not_before() {
        Duration timeout = Duration.ofMinutes(5);
        store.leases().insertLeased(null, List.of(EventEnvelope.ofJson("Tick", "{}")), "first");

        clock.advance(timeout);
        assertEquals(List.of(), store.leases().claim(null, "second", timeout, Duration.ZERO, 10));
        clock.advance(Duration.ofMillis(1));
        assertEquals(
                1,
                store.leases().claim(null, "second", timeout, Duration.ZERO, 10).size());
    }
}
