package outbox.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteConnection;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.util.JsonCodec;

/**
 * The outbox in SQLite: correct, also with several processes on one file, but one of them writes at a time.
 *
 * <p>Connections must begin their transactions as {@code IMMEDIATE}: one that begins with a look and wants to write later fails if somebody
 * else has written in between. A URL that says so, lets writers wait for each other and readers for nobody:
 * {@code jdbc:sqlite:file.db?transaction_mode=IMMEDIATE&busy_timeout=10000&journal_mode=WAL}. {@link #checkSchema} refuses others.
 */
public final class SqliteOutboxStore extends AbstractJdbcOutboxStore {

    /** Works on {@code outbox_event}. */
    public SqliteOutboxStore() {
        this(TableName.DEFAULT, JsonCodec.getDefault());
    }

    /** Works on the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public SqliteOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    /** Works on the given table and writes headers with the given codec. */
    public SqliteOutboxStore(String tableName, JsonCodec codec) {
        this(TableName.of(tableName), codec);
    }

    private SqliteOutboxStore(TableName table, JsonCodec codec) {
        super(table, codec, new SqliteDialect());
    }

    /** A store on a table that may be in an attached database. */
    public static SqliteOutboxStore on(TableName table, JsonCodec codec) {
        return new SqliteOutboxStore(table, codec);
    }

    @Override
    protected SqliteOutboxStore newInstance(TableName table, JsonCodec codec) {
        return on(table, codec);
    }

    /** {@inheritDoc} Also that transactions begin as they must. */
    @Override
    public void checkSchema(Connection conn) {
        if (modeOf(conn) == TransactionMode.DEFERRED) {
            throw new OutboxStoreException(
                    "transaction_mode of SQLite's connections must be IMMEDIATE, was DEFERRED: add transaction_mode=IMMEDIATE to the URL",
                    null);
        }
        super.checkSchema(conn);
    }

    private TransactionMode modeOf(Connection conn) {
        try {
            return conn.unwrap(SQLiteConnection.class).getConnectionConfig().getTransactionMode();
        } catch (SQLException e) {
            throw OutboxStoreException.of("ask for the mode of transactions", table(), e);
        }
    }
}
