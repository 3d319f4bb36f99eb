package outbox.internal.watch;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.LeaseStore;
import outbox.spi.TableOverview;
import outbox.testsupport.Await;
import outbox.testsupport.RecordingStore;

/** A table that says of itself what a test wants it to say. */
final class ScriptedTable extends RecordingStore {

    final AtomicInteger looks = new AtomicInteger();
    final AtomicInteger nodeLooks = new AtomicInteger();
    volatile Duration oldest;
    volatile int pending;
    volatile int dead;
    volatile int held;
    volatile OptionalInt nodes = OptionalInt.empty();
    volatile RuntimeException failure;
    volatile RuntimeException nodeFailure;
    volatile Runnable duringLook = () -> {};
    volatile CountDownLatch silence;

    private final LeaseStore leases = (LeaseStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, args) -> {
                if (!method.getName().equals("livingNodes")) {
                    throw new UnsupportedOperationException(method.getName());
                }
                nodeLooks.incrementAndGet();
                if (nodeFailure != null) {
                    throw nodeFailure;
                }
                return nodes;
            });

    @Override
    public TableOverview overview(Connection conn, int deadLimit, int pendingLimit) {
        looks.incrementAndGet();
        duringLook.run();
        if (silence != null) {
            Await.opened(silence);
        }
        if (failure != null) {
            throw failure;
        }
        return new TableOverview(oldest, new DeadCount(dead, held), Math.min(pending, pendingLimit));
    }

    @Override
    public LeaseStore leases() {
        return leases;
    }

    @Override
    public String tableName() {
        return "orders";
    }
}
