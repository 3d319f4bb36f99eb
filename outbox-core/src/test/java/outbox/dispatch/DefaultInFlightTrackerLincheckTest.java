package outbox.dispatch;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StringGen;
import org.junit.jupiter.api.Test;

/** Whatever the interleaving, acquire and release behave as if each took place at one instant. */
@Param(name = "id", gen = StringGen.class, conf = "1:ab")
public class DefaultInFlightTrackerLincheckTest {

    private final DefaultInFlightTracker tracker = new DefaultInFlightTracker();

    public DefaultInFlightTrackerLincheckTest() {}

    @Operation
    public boolean tryAcquire(@Param(name = "id") String id) {
        return tracker.tryAcquire(id);
    }

    @Operation
    public void release(@Param(name = "id") String id) {
        tracker.release(id);
    }

    @Test
    void every_interleaving_is_linearizable() {
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(3)
                .check(getClass());
    }
}
