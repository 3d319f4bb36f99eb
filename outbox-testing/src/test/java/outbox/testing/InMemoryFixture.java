package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.contract.StoreFixture;

/** The store in memory under test. */
record InMemoryFixture(InMemoryOutboxStore memory, InMemoryTransactions transactions, ManualClock clock)
        implements StoreFixture {

    @Override
    public OutboxStore store() {
        return memory;
    }

    @Override
    public EventPurger purger() {
        return memory;
    }

    @Override
    public Connection connect() throws SQLException {
        return transactions.getConnection();
    }

    @Override
    public @Nullable StoredEvent find(String eventId) {
        return memory.find(eventId);
    }

    @Override
    public void clear() {
        memory.clear();
    }

    @Override
    public void letPass(Duration time) {
        clock.advance(time);
    }
}
