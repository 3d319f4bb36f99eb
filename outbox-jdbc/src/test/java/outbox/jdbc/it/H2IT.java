package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

class H2IT {

    @Nested
    class Contract extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.shipped(TestedDatabase.H2, "contract_outbox");

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    /** The contract on a table with exactly the columns and types of the specification. */
    @Nested
    class ContractAsSpecified extends OutboxStoreContract {

        private static final StoreFixture TABLE = Tables.asSpecified(TestedDatabase.H2, false);

        @Override
        public StoreFixture fixture() {
            return TABLE;
        }
    }

    @Nested
    class Acceptance extends AcceptanceSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.H2;
        }
    }

    @Nested
    class SharedPool extends SharedPoolSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.H2;
        }
    }

    @Nested
    class Schema extends SchemaSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.H2;
        }
    }

    @Nested
    class StatementCounts extends StatementCountSuite {
        @Override
        TestedDatabase database() {
            return TestedDatabase.H2;
        }

        @Override
        int statementsPerClaim() {
            return 3;
        }
    }
}
