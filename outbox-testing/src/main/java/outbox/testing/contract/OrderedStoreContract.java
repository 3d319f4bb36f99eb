package outbox.testing.contract;

/**
 * What every {@link outbox.spi.OrderedStore} must do, in addition to {@link OutboxStoreContract}. Extend it in the same way.
 */
public abstract class OrderedStoreContract
        implements OrderContract, OrderInsertContract, OrderBlockContract, OrderOnceContract, OrderBytesContract {

    /** Describes the contract; for subclasses. */
    protected OrderedStoreContract() {}

    /** Tells where the store under test is. Called several times in each test. */
    @Override
    public abstract StoreFixture fixture();
}
