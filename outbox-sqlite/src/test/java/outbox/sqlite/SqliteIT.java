package outbox.sqlite;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OrderedStoreContract;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

/** The contract of stores. */
class SqliteIT {

    private static final SqliteFixture FIXTURE = SqliteFixture.create();

    @Nested
    class Contract extends OutboxStoreContract {
        @Override
        public StoreFixture fixture() {
            return FIXTURE;
        }
    }

    @Nested
    class Order extends OrderedStoreContract {
        @Override
        public StoreFixture fixture() {
            return FIXTURE;
        }
    }
}
