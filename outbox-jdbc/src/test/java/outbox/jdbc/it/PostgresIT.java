package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

class PostgresIT {

    @Nested
    class Contract extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.shipped(TestedDatabase.POSTGRESQL, "contract_outbox");

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    /** The contract on a table with exactly the columns and types of the specification. */
    @Nested
    class ContractAsSpecified extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.asSpecified(TestedDatabase.POSTGRESQL, false);

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    @Nested
    class Acceptance extends AcceptanceSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.POSTGRESQL;
        }
    }

    @Nested
    class SharedPool extends SharedPoolSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.POSTGRESQL;
        }
    }

    @Nested
    class Schema extends SchemaSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.POSTGRESQL;
        }
    }

    @Nested
    class StatementCounts extends StatementCountSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.POSTGRESQL;
        }

        @Override
        int statementsPerClaim() {
            return 1;
        }
    }
}
