package outbox.jdbc;

import java.sql.Connection;

/**
 * The isolation level of the outbox's own short transactions: claims, marks, renewals, purges. Never that of the application's.
 *
 * @param level as in {@link Connection}, or {@link Connection#TRANSACTION_NONE} to leave a connection as it is
 * @param forTransactionOnly whether the database can be told for one transaction; otherwise the connection's level is changed and restored
 */
public record OwnIsolation(int level, boolean forTransactionOnly) {

    /** The connection's own level will do. */
    public static final OwnIsolation AS_IT_IS = new OwnIsolation(Connection.TRANSACTION_NONE, false);

    /** Said with {@code SET TRANSACTION} in each transaction, so that nothing is left behind on the session. */
    public static OwnIsolation ofTransaction(int level) {
        return new OwnIsolation(level, true);
    }

    /** Set by {@link Connection#setTransactionIsolation}, and restored before the connection is given back. */
    public static OwnIsolation ofConnection(int level) {
        return new OwnIsolation(level, false);
    }

    /** Whether nothing has to be done. */
    public boolean isAsItIs() {
        return level == Connection.TRANSACTION_NONE;
    }
}
