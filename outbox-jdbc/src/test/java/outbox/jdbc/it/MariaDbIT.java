package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

class MariaDbIT {

    @Nested
    class Contract extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.shipped(TestedDatabase.MARIADB, "contract_outbox");

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    /** The contract on a table with exactly the columns and types of the specification. */
    @Nested
    class ContractAsSpecified extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.asSpecified(TestedDatabase.MARIADB, true);

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    @Nested
    class Acceptance extends AcceptanceSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }
    }

    @Nested
    class SharedPool extends SharedPoolSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }
    }

    @Nested
    class Schema extends SchemaSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }
    }

    @Nested
    class StatementCounts extends StatementCountSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }

        @Override
        int statementsPerClaim() {
            return 3;
        }
    }

    @Nested
    class Isolation extends IsolationSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.MARIADB;
        }
    }
}
