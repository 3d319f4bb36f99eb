package outbox.testsupport;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.ConnectionProvider;

/** Connections without a database behind them: they only keep a journal of what was done to them. */
public final class StubConnections implements ConnectionProvider {

    private final boolean autoCommit;
    private final List<String> journal = new ArrayList<>();
    private final Map<String, Exception> failures = new ConcurrentHashMap<>();
    private final AtomicInteger failingOpens = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean valid = true;
    private volatile boolean readOnly;

    private StubConnections(boolean autoCommit) {
        this.autoCommit = autoCommit;
    }

    public static StubConnections autoCommitting() {
        return new StubConnections(true);
    }

    public static StubConnections transactional() {
        return new StubConnections(false);
    }

    /** The next connections cannot be opened. */
    public StubConnections failToOpen(int times) {
        failingOpens.set(times);
        return this;
    }

    /** No connection can be opened until {@link #comeBack()}. */
    public StubConnections goAway() {
        return failToOpen(Integer.MAX_VALUE);
    }

    public StubConnections comeBack() {
        valid = true;
        return failToOpen(0);
    }

    /** Connections can be opened, but nobody answers on them. */
    public StubConnections fallSilent() {
        valid = false;
        return this;
    }

    /** Calls of that method throw. */
    public StubConnections failOn(String method, Exception failure) {
        failures.put(method, failure);
        return this;
    }

    /** Calls of that method work again. */
    public StubConnections succeedOn(String method) {
        failures.remove(method);
        return this;
    }

    /** As a pool may do with all of its connections. */
    public StubConnections setReadOnly() {
        readOnly = true;
        return this;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (failingOpens.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new SQLException("database is away");
        }
        open.incrementAndGet();
        note("open");
        boolean[] mode = {autoCommit};
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> invoke(proxy, method, args, mode));
    }

    /** What was done, in order: open, savepoint, commit, rollback, rollback to savepoint, autocommit=…, abort, close. */
    public List<String> journal() {
        synchronized (journal) {
            return List.copyOf(journal);
        }
    }

    public int leaked() {
        return open.get();
    }

    private Object invoke(Object proxy, Method method, Object[] args, boolean[] mode) throws Exception {
        switch (method.getName()) {
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "equals" -> {
                return proxy == args[0];
            }
            case "toString" -> {
                return "StubConnection";
            }
            case "getAutoCommit" -> {
                fail(method);
                return mode[0];
            }
            case "setAutoCommit" -> {
                mode[0] = (boolean) args[0];
                note("autocommit=" + mode[0]);
            }
            case "close" -> {
                open.decrementAndGet();
                note("close");
            }
            case "isValid" -> {
                fail(method);
                return valid;
            }
            case "isReadOnly" -> {
                return readOnly;
            }
            case "setSavepoint" -> {
                fail(method);
                note("savepoint");
                return Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Savepoint.class}, (savepoint, asked, of) -> null);
            }
            case "rollback" -> note(args == null ? "rollback" : "rollback to savepoint");
            case "commit", "abort" -> note(method.getName());
            default -> throw new UnsupportedOperationException(method.getName());
        }
        fail(method);
        return null;
    }

    private void fail(Method method) throws Exception {
        Exception failure = failures.get(method.getName());
        if (failure != null) {
            throw failure;
        }
    }

    private void note(String what) {
        synchronized (journal) {
            journal.add(what);
        }
    }
}
