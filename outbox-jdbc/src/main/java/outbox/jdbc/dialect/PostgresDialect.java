package outbox.jdbc.dialect;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/** PostgreSQL. */
public final class PostgresDialect implements Dialect {

    private static final RecordTime RECORD_TIME = new RecordTime(
            "statement_timestamp()",
            "(statement_timestamp() + ?::bigint * interval '1 microsecond')",
            "CAST(EXTRACT(EPOCH FROM %s - statement_timestamp()) * 1000000 AS bigint)");

    private static final Failures FAILURES = Failures.STANDARD
            .endingTransaction()
            .states(Failure.DEADLOCK, "40P01")
            .states(Failure.LOCK_TIMEOUT, "55P03")
            .states(Failure.NOT_JSON, "22P02")
            .states(Failure.MISSING, "42P01", "3F000")
            .states(Failure.NO_COLUMN, "42703");

    /** Has no settings. */
    public PostgresDialect() {}

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:postgresql:");
    }

    @Override
    public boolean supports(DatabaseMetaData database) throws SQLException {
        return Dialect.super.supports(database) || "PostgreSQL".equalsIgnoreCase(database.getDatabaseProductName());
    }

    /**
     * For columns with or without a time zone: COALESCE makes the server read {@code 'epoch'} as what the column is. The time is that of
     * the statement, not of the transaction, which may have begun long ago.
     */
    @Override
    public DatabaseTime time(TableName table) {
        String now = nowAs(table, "locked_at");
        // As subqueries, which the server evaluates once for each statement instead of once for each row.
        return new DatabaseTime(
                "(SELECT " + now + ")",
                "(SELECT " + now + " + ? * interval '1 microsecond')",
                "LEAST(?, (SELECT " + nowAs(table, "available_at") + "))");
    }

    private static String nowAs(TableName table, String column) {
        return "(COALESCE((NULL::" + table + ")." + column
                + ", 'epoch') + date_part('epoch', statement_timestamp()) * interval '1 second')";
    }

    @Override
    public RecordTime recordTime() {
        return RECORD_TIME;
    }

    @Override
    public Binding binding() {
        return PostgresBinding.INSTANCE;
    }

    @Override
    public Locking locking() {
        return new Locking() {
            @Override
            public boolean knowsSkipLocked(DatabaseMetaData database) {
                return true;
            }

            /** The driver keeps the time and asks the server, on another connection, to cancel what takes too long. */
            @Override
            public boolean limitsStatements() {
                return true;
            }
        };
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities() {
            @Override
            public boolean updatesReturning() {
                return true;
            }

            @Override
            public boolean insertsReturning() {
                return true;
            }

            @Override
            public boolean insertsArrays() {
                return true;
            }

            /** It is partial. */
            @Override
            public boolean ordersPendingInOneIndex() {
                return true;
            }

            @Override
            public boolean comparesRows() {
                return true;
            }

            @Override
            public KeyLookup keyLookup() {
                return KeyLookup.LATERAL_ARRAYS;
            }

            @Override
            public Upsert upsert() {
                return Upsert.ON_CONFLICT;
            }
        };
    }

    @Override
    public Failures failures() {
        return FAILURES;
    }

    @Override
    public Probes probes() {
        return new Probes() {
            @Override
            public String rowSecurity() {
                return "SELECT row_security_active(CAST(? AS regclass))";
            }

            @Override
            public String rowPolicies() {
                return """
                        SELECT p.polname, quote_ident(c.relname), p.polpermissive, CAST(p.polcmd AS text), \
                        pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid) \
                        FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid \
                        WHERE p.polrelid = CAST(? AS regclass) AND (0 = ANY (p.polroles) OR EXISTS (\
                        SELECT 1 FROM unnest(p.polroles) AS role WHERE pg_has_role(role, 'USAGE'))) \
                        ORDER BY p.polname""";
            }

            /** A relay lock lifts the limits of its transaction itself; one that listens is in none. Servers before 14 have no such limit. */
            @Override
            public String idleLimitsOfListeners() {
                return "SELECT name, CAST(setting AS bigint) / 1000.0 FROM pg_settings WHERE name = 'idle_session_timeout'";
            }

            @Override
            public String session() {
                return "SELECT pg_backend_pid()";
            }
        };
    }

    /** On a higher one a claim fails when somebody else changes what it has seen, and drags the application's transactions along. */
    @Override
    public OwnIsolation ownIsolation(int level) {
        return level > Connection.TRANSACTION_READ_COMMITTED
                ? OwnIsolation.ofTransaction(Connection.TRANSACTION_READ_COMMITTED)
                : OwnIsolation.AS_IT_IS;
    }

    @Override
    public RelayLock relayLock(DataSource dataSource, TableName table) {
        return new PostgresRelayLock(dataSource, table);
    }
}
