package outbox.micrometer;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.OutboxStore;
import outbox.spi.OutboxStore.Backlog;
import outbox.spi.OutboxStore.DeadCount;

/** A store that can do nothing but tell its backlog. */
final class StubStore {

    final AtomicInteger looks = new AtomicInteger();
    volatile Backlog backlog = new Backlog(0, 0);
    volatile DeadCount dead = new DeadCount(0, 0);
    volatile boolean countsDead = true;
    volatile RuntimeException failure;
    volatile String table = "shop_outbox";
    volatile int limit;
    volatile int deadLimit;

    OutboxStore store() {
        return (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("tableName")) {
                        return table;
                    }
                    if (method.getName().equals("countDeadUpTo")) {
                        return countDead((int) args[1]);
                    }
                    looks.incrementAndGet();
                    limit = (int) args[1];
                    if (failure != null) {
                        throw failure;
                    }
                    return backlog;
                });
    }

    private DeadCount countDead(int upTo) {
        if (!countsDead) {
            throw new UnsupportedOperationException("does not override countDeadUpTo");
        }
        deadLimit = upTo;
        return dead;
    }

    /** A connection that commits each statement, for work that this store does without it. */
    static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                StubStore.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> method.getName().equals("getAutoCommit") ? true : null);
    }
}
