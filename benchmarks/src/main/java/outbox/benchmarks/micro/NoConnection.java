package outbox.benchmarks.micro;

import java.lang.reflect.Proxy;
import java.sql.Connection;

/** A connection without a database: everything succeeds and answers false, 0 or null. */
final class NoConnection {

    private static final Connection CONNECTION = (Connection) Proxy.newProxyInstance(
            NoConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? Boolean.FALSE : null);

    private NoConnection() {}

    static Connection open() {
        return CONNECTION;
    }
}
