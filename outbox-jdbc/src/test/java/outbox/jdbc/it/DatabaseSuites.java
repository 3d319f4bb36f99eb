package outbox.jdbc.it;

import org.junit.jupiter.api.Nested;
import outbox.testing.contract.OrderedStoreContract;
import outbox.testing.contract.OutboxStoreContract;
import outbox.testing.contract.StoreFixture;

/** Everything that must hold on every database. */
abstract class DatabaseSuites {

    abstract TestedDatabase database();

    @Nested
    class Contract extends OutboxStoreContract {
        @Override
        public StoreFixture fixture() {
            return database().shippedTable();
        }
    }

    /** The contract on a table with exactly the columns and types of the specification. */
    @Nested
    class ContractAsSpecified extends OutboxStoreContract {
        @Override
        public StoreFixture fixture() {
            return database().specifiedTable();
        }
    }

    @Nested
    class Order extends OrderedStoreContract {
        @Override
        public StoreFixture fixture() {
            return database().shippedTable();
        }
    }

    /** Order in a table that was created without the column for it, which was added by the scripts. */
    @Nested
    class OrderInUpgradedTable extends OrderedStoreContract {
        @Override
        public StoreFixture fixture() {
            return database().upgradedTable();
        }
    }

    @Nested
    class OrderedDelivery extends OrderSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Acceptance extends AcceptanceSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Facade extends OutboxFacadeSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class ClearedError extends ClearedErrorSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class LaterAndOnce extends LaterAndOnceSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class PoolIsolation extends PoolIsolationSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class SharedPool extends SharedPoolSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Preflights extends PreflightSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Schema extends SchemaSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Versions extends VersionSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class PlainWriters extends PlainWriterSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class StatementCounts extends StatementCountSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Plans extends PlanSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class OrderedClaimCosts extends OrderedClaimCostSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class WaitingRowCosts extends WaitingRowCostSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Parking extends ParkingSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Starvation extends StarvationSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class ShortFacade extends ShortFacadeSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Nodes extends NodesSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class UnknownTypes extends UnknownTypeSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class LostAnswer extends LostAnswerSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class JoinedOutboxes extends JoinedOutboxesSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class JoinedHooks extends JoinedHooksSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Joined extends JoinedSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Purge extends PurgeSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Leases extends LeaseSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class OpenTransactions extends OpenTransactionSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class RelayLocks extends RelayLockSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class SingleActive extends SingleActiveSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class MalformedRows extends MalformedRowSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class NoContent extends NoContentSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Backlogs extends BacklogSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Health extends HealthSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class PendingLimit extends PendingLimitSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class LockedRowRecording extends LockedRowRecordingSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class HostileTexts extends HostileTextSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class UndecodableHeads extends UndecodableHeadSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class UsedUpHeads extends UsedUpHeadSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class DuplicateIds extends DuplicateIdSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class CreatingTables extends CreateTableSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class NewNodes extends NewNodeSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class TellingOfDead extends DeadHandlerSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Bytes extends BytesSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class CarriedHeaders extends CarriedHeadersSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Compacting extends CompactionSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class CompactionCost extends CompactionCostSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Transforming extends TransformSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Pausing extends PauseSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class CostOfListeners extends ListenerCostSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }

    @Nested
    class Outages extends OutageSuite {
        @Override
        TestedDatabase database() {
            return DatabaseSuites.this.database();
        }
    }
}
