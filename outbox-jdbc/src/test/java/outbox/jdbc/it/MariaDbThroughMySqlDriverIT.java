package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OrderedStoreContract;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

class MariaDbThroughMySqlDriverIT {

    @Nested
    class Contract extends OutboxStoreContract {
        @Override
        public StoreFixture fixture() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER.shippedTable();
        }
    }

    @Nested
    class Schema extends SchemaSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER;
        }
    }

    @Nested
    class Order extends OrderedStoreContract {
        @Override
        public StoreFixture fixture() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER.shippedTable();
        }
    }

    @Nested
    class Leases extends LeaseSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER;
        }
    }

    /** The driver has another way to limit statements. */
    @Nested
    class LockedRowRecording extends LockedRowRecordingSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER;
        }
    }
}
