package outbox.inbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import outbox.inbox.ConsumeRecordStore;
import outbox.inbox.EventDedupRepository;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.DatabaseFailure;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spi.TxContext;

/** A table of consume records. Thread-safe. */
public final class JdbcInbox {

    private static final Logger LOG = SafeLog.of(JdbcInbox.class);

    private static final String CHECK = "SELECT tenant_id, consumer_group, event_id, event_type, status, locked_by,"
            + " locked_until, next_retry_at, retry_count, error_msg, processed_at, created_at, updated_at,"
            + " aggregate_type, aggregate_id, occurred_at, headers, payload FROM ";

    private final InboxDialect dialect;
    private final InboxConnections connections;
    private final Set<String> skipped;

    private JdbcInbox(InboxDialect dialect, InboxConnections connections, Set<String> skipped) {
        this.dialect = dialect;
        this.connections = connections;
        this.skipped = skipped;
    }

    /** The table {@code event_consume_record} of the database behind the data source; see {@link #on(DataSource, TxContext, TableName)}. */
    public static JdbcInbox on(DataSource dataSource, TxContext context) {
        return on(dataSource, context, InboxSchema.DEFAULT_TABLE);
    }

    /**
     * A table of the database behind the data source, whose kind is detected.
     *
     * @param dataSource where connections outside of the handlers' transactions come from
     * @param context knows the transaction of the current thread, on the same database
     * @throws IllegalArgumentException if the database is not supported: not H2, PostgreSQL, MySQL or MariaDB
     */
    public static JdbcInbox on(DataSource dataSource, TxContext context, TableName table) {
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(table, "table");
        Dialect database = JdbcOutboxStores.detect(dataSource).dialect();
        return new JdbcInbox(
                InboxDialect.of(database, table),
                new InboxConnections(new DataSourceConnectionProvider(dataSource), context, table),
                Set.of());
    }

    /**
     * The same table, with some checks left out of {@link #repository()} and {@link #checkSchema()}.
     *
     * @param checks {@code rights}, {@code text} or {@code collation}
     * @throws IllegalArgumentException if there is no check of such a name
     */
    public JdbcInbox skipPreflight(String... checks) {
        Set<String> unknown = new TreeSet<>(List.of(checks));
        InboxTrial.CHECKS.forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("skipPreflight names " + unknown + ", but the checks of inbox "
                    + dialect.table() + " are " + InboxTrial.CHECKS);
        }
        Set<String> all = new TreeSet<>(skipped);
        all.addAll(List.of(checks));
        return new JdbcInbox(dialect, connections, Set.copyOf(all));
    }

    /**
     * The records as the template sees them. If the table is there and the database can be reached, it is tried in a transaction that is rolled
     * back.
     *
     * @throws OutboxStoreException that says what is wrong and the way out: the table would take one group or event for another, does not keep
     *     texts, refuses a record, or this user of the database lacks a right
     */
    public EventDedupRepository repository() {
        try {
            tryTable();
        } catch (RuntimeException e) {
            if (!mayComeLater(e)) {
                throw e;
            }
            LOG.log(Level.DEBUG, "Table " + dialect.table() + " cannot be tried", LoggedError.of(e));
        }
        return new JdbcEventDedupRepository(dialect, connections, UnaryOperator.identity());
    }

    /** The records as people, the retry runner and the purge see them. */
    public ConsumeRecordStore records() {
        return new JdbcConsumeRecordStore(dialect, connections);
    }

    private void tryTable() {
        List<String> problems =
                connections.alone("try a record", conn -> new InboxTrial(dialect, skipped).problems(conn));
        if (!problems.isEmpty()) {
            throw new OutboxStoreException("Table \"" + dialect.table() + "\": " + String.join("; ", problems), null);
        }
    }

    /** It is not there yet, or the database is away: the first event will tell. */
    private boolean mayComeLater(RuntimeException failure) {
        return DatabaseFailure.of(failure) != DatabaseFailure.REFUSED
                || (failure.getCause() instanceof SQLException said
                        && dialect.failures().is(Failure.MISSING, said));
    }

    /**
     * Checks that the table exists, has all its columns, takes records, keeps texts as they are and tells ids apart.
     *
     * @throws OutboxStoreException that names the script that creates it, or what is wrong and the way out; also if the database cannot be
     *     asked
     */
    public void checkSchema() {
        try {
            connections.alone("check", conn -> {
                try (var statement = conn.prepareStatement(CHECK + dialect.table() + " WHERE 1 = 0")) {
                    return statement.execute();
                }
            });
        } catch (OutboxStoreException e) {
            throw new OutboxStoreException(
                    "Table \"" + dialect.table() + "\" is missing, lacks a column or cannot be read: apply "
                            + InboxSchema.resource(dialect.name()) + " from " + dialect.scriptsIn(),
                    e);
        }
        tryTable();
    }
}
