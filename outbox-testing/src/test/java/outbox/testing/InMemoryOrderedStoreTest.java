package outbox.testing;

import java.time.Instant;
import outbox.testing.contract.OrderedStoreContract;
import outbox.testing.contract.StoreFixture;

/** The store in memory keeps events in order as the real ones do. */
class InMemoryOrderedStoreTest extends OrderedStoreContract {

    private final ManualClock clock = ManualClock.at(Instant.now());
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTransactions transactions = new InMemoryTransactions();

    @Override
    public StoreFixture fixture() {
        return new InMemoryFixture(store, transactions, clock);
    }
}
