package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL's driver knows of a connection, asked without needing the driver. */
final class ServerConnection {

    private static final String CONNECTION = "org.postgresql.PGConnection";
    private static final String STATEMENT = "org.postgresql.PGStatement";

    private ServerConnection() {}

    /** The process of the server that the connection was told when it was opened; null if it is not PostgreSQL's driver. */
    static @Nullable Integer processId(Connection conn) {
        return number(conn, "getBackendPID");
    }

    /** After how many uses a statement is prepared in the server; 0 for never; null if it is not PostgreSQL's driver. */
    static @Nullable Integer prepareThreshold(Connection conn) {
        return number(conn, "getPrepareThreshold");
    }

    private static @Nullable Integer number(Connection conn, String method) {
        try {
            Class<?> type = Class.forName(CONNECTION, false, loaderOf(conn));
            return conn.isWrapperFor(type) ? (Integer) type.getMethod(method).invoke(conn.unwrap(type)) : null;
        } catch (ReflectiveOperationException | SQLException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /** Has a statement prepared in the server by its first use. Returns whether that can be had. */
    static boolean prepareAtOnce(Statement statement) {
        try {
            Class<?> type = Class.forName(STATEMENT, false, loaderOf(statement.getConnection()));
            type.getMethod("setPrepareThreshold", int.class).invoke(statement.unwrap(type), 1);
            return true;
        } catch (ReflectiveOperationException | SQLException | RuntimeException | LinkageError e) {
            return false;
        }
    }

    /** The driver is loaded by the one that loaded its connections, or by that of the application. */
    private static ClassLoader loaderOf(Connection conn) throws SQLException {
        ClassLoader loader = conn.getMetaData().getClass().getClassLoader();
        return loader == null ? ServerConnection.class.getClassLoader() : loader;
    }
}
