package outbox.sqlite;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Binding;
import outbox.jdbc.dialect.Capabilities;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;
import outbox.jdbc.dialect.Locking;
import outbox.jdbc.dialect.RecordTime;
import outbox.spi.RelayLock;

/**
 * SQLite. One transaction writes at a time, so there are no locks on rows and none are needed, as long as a transaction that writes begins
 * as one: see {@link SqliteOutboxStore}.
 */
public final class SqliteDialect implements Dialect {

    private static final String NOW = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";
    private static final String NOW_PLUS_MICROS = "(" + NOW + " + ?)";
    private static final int BUSY = 5;
    private static final int READ_ONLY = 8;

    /** What a statement names is not there, or its grammar is wrong; SQLite has no code for a missing table alone. */
    private static final int NOT_UNDERSTOOD = 1;

    private static final Failures FAILURES = Failures.STANDARD
            .matching(
                    Failure.DUPLICATE,
                    e -> is(e, SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE)
                            || is(e, SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY))
            .matching(Failure.SERIALIZATION, SqliteDialect::isStaleSnapshot)
            .matching(Failure.LOCK_TIMEOUT, e -> e.getErrorCode() == BUSY && !isStaleSnapshot(e))
            .matching(Failure.CHECK, e -> is(e, SQLiteErrorCode.SQLITE_CONSTRAINT_CHECK))
            .codes(Failure.READ_ONLY, READ_ONLY)
            .codes(Failure.MISSING, NOT_UNDERSTOOD)
            .codes(Failure.NO_COLUMN, NOT_UNDERSTOOD);

    /** Has no settings. */
    public SqliteDialect() {}

    private static boolean isStaleSnapshot(SQLException e) {
        return is(e, SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT);
    }

    private static boolean is(SQLException e, SQLiteErrorCode code) {
        return e instanceof SQLiteException failure && failure.getResultCode() == code;
    }

    @Override
    public String name() {
        return "sqlite";
    }

    @Override
    public String scriptsIn() {
        return "outbox-sqlite";
    }

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:sqlite:");
    }

    /** To the millisecond. */
    @Override
    public DatabaseTime time(TableName table) {
        return new DatabaseTime(NOW, NOW_PLUS_MICROS, "MIN(?, " + NOW + ")");
    }

    @Override
    public RecordTime recordTime() {
        return new RecordTime(NOW, NOW_PLUS_MICROS, "(%s - " + NOW + ")");
    }

    @Override
    public Binding binding() {
        return new SqliteBinding();
    }

    @Override
    public Locking locking() {
        return new Locking() {
            @Override
            public String forUpdate() {
                return "";
            }
        };
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities() {
            @Override
            public boolean insertsReturning() {
                return true;
            }

            /** It is partial; and SQLite takes no LIMIT inside of a UNION. */
            @Override
            public boolean ordersPendingInOneIndex() {
                return true;
            }

            @Override
            public boolean comparesRows() {
                return true;
            }
        };
    }

    @Override
    public Failures failures() {
        return FAILURES;
    }

    @Override
    public RelayLock relayLock(DataSource dataSource, TableName table) {
        return new SqliteRelayLock(dataSource, table);
    }
}
