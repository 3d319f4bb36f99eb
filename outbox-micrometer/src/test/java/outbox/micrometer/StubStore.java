package outbox.micrometer;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.OutboxStore;
import outbox.spi.OutboxStore.Backlog;

/** A store that can do nothing but tell its backlog. */
final class StubStore {

    final AtomicInteger looks = new AtomicInteger();
    volatile Backlog backlog = new Backlog(0, 0);
    volatile RuntimeException failure;
    volatile String table = "shop_outbox";
    volatile int limit;

    OutboxStore store() {
        return (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("tableName")) {
                        return table;
                    }
                    looks.incrementAndGet();
                    limit = (int) args[1];
                    if (failure != null) {
                        throw failure;
                    }
                    return backlog;
                });
    }

    /** A connection that commits each statement, for work that this store does without it. */
    static Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                StubStore.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> method.getName().equals("getAutoCommit") ? true : null);
    }
}
