package outbox.testing.contract;

/**
 * The contract of {@link outbox.spi.OutboxStore} and {@link outbox.spi.EventPurger}. Extend it for a store of your own and say in
 * {@link #fixture()} where it is; the table is emptied before each test. The tests of leases are aborted if, and only if, the store says
 * that it has {@linkplain outbox.spi.OutboxStore#leases() none}; likewise those of receipts, of delays, of payloads that are not text and of
 * {@linkplain outbox.spi.EventPurger#runs() runs}, and those that need {@linkplain StoreFixture#writesConcurrently() two writers}.
 *
 * <pre>{@code
 * class MyStoreTest extends OutboxStoreContract {
 *     public StoreFixture fixture() {
 *         return new JdbcStoreFixture(dataSource, "outbox_event", new MyStore(), new MyPurger());
 *     }
 * }
 * }</pre>
 */
public abstract class OutboxStoreContract
        implements InsertContract,
                OnceContract,
                OnceRaceContract,
                OnceLeaseContract,
                DelayContract,
                BytesContract,
                MarkContract,
                PollContract,
                ClaimContract,
                LeaseInsertContract,
                LeaseContract,
                LeaseExpiryContract,
                LeaseHoldContract,
                SuspectContract,
                LeaseMarkContract,
                DeadEventContract,
                PurgeContract,
                PurgeRunContract {

    /** Describes the contract; for subclasses. */
    protected OutboxStoreContract() {}

    /** Tells where the store under test is. Called several times in each test. */
    @Override
    public abstract StoreFixture fixture();
}
