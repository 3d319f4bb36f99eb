package outbox.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.spi.TableOverview;
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
    void an_overview_tells_for_how_long_the_oldest_has_been_due_that_nothing_holds_up() {
        for (String id : new String[] {"head", "follower", "other"}) {
            store.insertNew(
                    null,
                    EventEnvelope.builder("Tick")
                            .eventId(id)
                            .aggregateType("Clock")
                            .aggregateId(id.equals("other") ? "2" : "1")
                            .occurredAt(clock.instant().minusSeconds(id.equals("other") ? 5 : 60))
                            .deliverAfter(id.equals("other") ? Duration.ofSeconds(1) : Duration.ZERO)
                            .payloadJson("{}")
                            .build());
        }
        assertEquals(60, store.overview(null, 10, 2).oldestDue().toSeconds());
        assertEquals(2, store.overview(null, 10, 2).pending());
        store.leases().claim(null, "me", Duration.ofMinutes(5), Duration.ZERO, 10);
        store.leases().markDead(null, "me", List.of(new LeaseStore.HeldDead("head", "no", true)));
        assertEquals(new TableOverview(null, new OutboxStore.DeadCount(1, 1), 0), store.overview(null, 10, 0));
        clock.advance(Duration.ofSeconds(3));
        assertEquals(2, store.overview(null, 10, 0).oldestDue().toSeconds());
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
