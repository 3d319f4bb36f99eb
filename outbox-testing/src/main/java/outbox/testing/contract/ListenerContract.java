package outbox.testing.contract;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import static java.util.Objects.requireNonNull;

/**
 * What every listener must do that brings events to somebody else, whether it is called for one after the other, returns stages or takes
 * batches. Extend it, and tell how to make the listener and its receiver.
 */
@Timeout(120)
public abstract class ListenerContract
        implements ListenerContentContract, ListenerFailureContract, ListenerTimeContract {

    private @Nullable ListenerFixture fixture;

    /** Describes the contract; for subclasses. */
    protected ListenerContract() {}

    /** Makes a listener and a receiver that has got nothing yet. */
    protected abstract ListenerFixture newFixture() throws Exception;

    @BeforeEach
    final void makeFixture() throws Exception {
        fixture = newFixture();
    }

    @AfterEach
    final void closeFixture() {
        fixture().close();
    }

    @Override
    public final ListenerFixture fixture() {
        return requireNonNull(fixture, "made before each test");
    }
}
