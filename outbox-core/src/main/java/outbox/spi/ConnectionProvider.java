package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/** Gives out connections for short work outside the business transaction; the caller closes them. */
@FunctionalInterface
public interface ConnectionProvider {

    /** Returns a connection in either autocommit mode. */
    Connection getConnection() throws SQLException;
}
