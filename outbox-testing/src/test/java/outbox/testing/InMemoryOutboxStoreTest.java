package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

/** The store in memory keeps the same contract as the real ones. */
class InMemoryOutboxStoreTest extends OutboxStoreContract {

    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTransactions transactions = new InMemoryTransactions();

    @Override
    public StoreFixture fixture() {
        return new StoreFixture() {
            @Override
            public OutboxStore store() {
                return store;
            }

            @Override
            public EventPurger purger() {
                return store;
            }

            @Override
            public Connection connect() throws SQLException {
                return transactions.getConnection();
            }

            @Override
            public StoredEvent find(String eventId) {
                return store.find(eventId);
            }

            @Override
            public void clear() {
                store.clear();
            }
        };
    }
}
