package outbox.jdbc.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/** H2 2.x. */
public final class H2Dialect implements Dialect {

    /** A cast would turn the time back into that of the session's zone. */
    private static final String NOW =
            "DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00',"
                    + " CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'), TIMESTAMP '1970-01-01 00:00:00')";

    /** For columns without a time zone. H2 tells a transaction the same time again and again, that of its first question. */
    private static final DatabaseTime TIME = new DatabaseTime(NOW, "DATEADD(MICROSECOND, ?, " + NOW + ")");

    /** In one zone for both: H2 subtracts what the clocks on the wall show, and sessions may be in different zones. */
    private static final RecordTime RECORD_TIME = new RecordTime(
            "CURRENT_TIMESTAMP(6)",
            "DATEADD(MICROSECOND, CAST(? AS BIGINT), CURRENT_TIMESTAMP(6))",
            "DATEDIFF(MICROSECOND, CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC', %s AT TIME ZONE 'UTC')");

    private static final Failures FAILURES = Failures.STANDARD
            .codes(Failure.DEADLOCK, 40001)
            .codes(Failure.SERIALIZATION, 90131)
            .codes(Failure.LOCK_TIMEOUT, 50200)
            .codes(Failure.READ_ONLY, 90097)
            .codes(Failure.CHECK, 23513)
            .codes(Failure.MISSING, 42102, 42103, 42104, 90079)
            .codes(Failure.NO_COLUMN, 42122)
            .codes(Failure.DENIED, 90096);

    /** Has no settings. */
    public H2Dialect() {}

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:h2:");
    }

    @Override
    public DatabaseTime time(TableName table) {
        return TIME;
    }

    @Override
    public RecordTime recordTime() {
        return RECORD_TIME;
    }

    /**
     * JSON as bytes, because H2 turns a string that is bound to a JSON column into a JSON string literal; bytes are taken as JSON text
     * there, and as text by a character column.
     */
    @Override
    public Binding binding() {
        return new Binding() {
            @Override
            public @Nullable Object json(@Nullable String json) {
                return json == null ? null : json.getBytes(StandardCharsets.UTF_8);
            }
        };
    }

    /** There is no need to limit statements: H2 gives up waiting for a lock after two seconds, unless its URL says otherwise. */
    @Override
    public Locking locking() {
        return new Locking() {
            /** Since 2.2. */
            @Override
            public boolean knowsSkipLocked(DatabaseMetaData database) throws SQLException {
                int major = database.getDatabaseMajorVersion();
                return major > 2 || (major == 2 && database.getDatabaseMinorVersion() >= 2);
            }

            @Override
            public boolean claimsSkipLocked(DatabaseMetaData database) {
                return false;
            }
        };
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities() {
            /** H2 finds nothing through an index behind a column that has several values. */
            @Override
            public KeyLookup keyLookup() {
                return KeyLookup.ARRAYS_FOR_EACH_STATE;
            }

            @Override
            public Upsert upsert() {
                return Upsert.MERGE;
            }
        };
    }

    @Override
    public Failures failures() {
        return FAILURES;
    }

    /** On a higher one a claim does not see what others have changed since it began, and fails; on a lower one it sees too much. */
    @Override
    public OwnIsolation ownIsolation(int level) {
        return level == Connection.TRANSACTION_READ_COMMITTED
                ? OwnIsolation.AS_IT_IS
                : OwnIsolation.ofConnection(Connection.TRANSACTION_READ_COMMITTED);
    }

    @Override
    public RelayLock relayLock(DataSource dataSource, TableName table) {
        return new H2RelayLock(dataSource, table);
    }
}
