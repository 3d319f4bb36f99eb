package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A data source whose next commit breaks its connection, after it has reached the server or before. */
final class LostAnswers {

    private enum Next {
        COMMITS_AND_BREAKS,
        BREAKS
    }

    private final AtomicReference<Next> next = new AtomicReference<>();
    private final DataSource dataSource;

    LostAnswers(DataSource real) {
        this.dataSource = proxy(DataSource.class, real);
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** The server commits the next transaction, and nobody hears of it. */
    void loseNextAnswer() {
        next.set(Next.COMMITS_AND_BREAKS);
    }

    /** The server does not even hear of the next commit. */
    void loseNextCommit() {
        next.set(Next.BREAKS);
    }

    private <T> T proxy(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    try {
                        Next fate = method.getName().equals("commit") ? next.getAndSet(null) : null;
                        Object answer = fate == Next.BREAKS ? null : method.invoke(real, args);
                        if (fate != null) {
                            throw new SQLException("The connection broke", "08006");
                        }
                        return answer instanceof Connection connection ? proxy(Connection.class, connection) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
