package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.preflight.JdbcPreflight;
import outbox.jdbc.purge.AbstractJdbcEventPurger;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.spi.Preflight;
import outbox.util.JsonCodec;

/**
 * The outbox table in a database of some {@link Dialect}; for a new database write one of those, and a subclass that names it. Thread-safe: a
 * store has no state but its settings, and what it has learnt of the table's columns.
 */
public abstract class AbstractJdbcOutboxStore extends TableStore {

    private final EventTable table;
    private final JsonCodec codec;

    /** A store in portable SQL, without leases and order; override {@link #name()} and {@link #jdbcUrlPrefixes()}. */
    protected AbstractJdbcOutboxStore(TableName table, JsonCodec codec) {
        this(table, codec, Dialect.PORTABLE);
    }

    /** A store on the given table that writes headers with the given codec. */
    protected AbstractJdbcOutboxStore(TableName table, JsonCodec codec, Dialect dialect) {
        this(
                new EventTable(Objects.requireNonNull(table, "table"), Objects.requireNonNull(dialect, "dialect")),
                Objects.requireNonNull(codec, "codec"));
    }

    private AbstractJdbcOutboxStore(EventTable table, JsonCodec codec) {
        super(table, codec);
        this.table = table;
        this.codec = codec;
    }

    /** The name of the database, by which {@link JdbcOutboxStores#get} finds it. */
    public String name() {
        return dialect().name();
    }

    /** The beginnings of the JDBC URLs that this store serves. */
    public List<String> jdbcUrlPrefixes() {
        return dialect().urlPrefixes();
    }

    /** A store of the same dialect on another table or with another codec. */
    protected AbstractJdbcOutboxStore newInstance(TableName table, JsonCodec codec) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override newInstance");
    }

    /** Whether this store is the right one for the database behind the connection. By default asks the dialect, or else its URL. */
    protected boolean supports(DatabaseMetaData database) throws SQLException {
        String url = database.getURL();
        boolean knowsOnlyUrls = dialect() == Dialect.PORTABLE;
        return knowsOnlyUrls ? url != null && supportsUrl(url) : dialect().supports(database);
    }

    final boolean supportsUrl(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        return jdbcUrlPrefixes().stream().anyMatch(lower::startsWith);
    }

    /** The table that this store works on. */
    public final TableName table() {
        return table.name();
    }

    /** What this store asks of its database. */
    public final Dialect dialect() {
        return table.dialect();
    }

    /** What deletes the finished events of this table. */
    public EventPurger purger() {
        return new AbstractJdbcEventPurger(table(), dialect()) {};
    }

    @Override
    public final String tableName() {
        return table().toString();
    }

    final JsonCodec codec() {
        return codec;
    }

    /** {@inheritDoc} The limit is rounded up to seconds. */
    @Override
    public OutboxStore withMarkTimeout(Duration timeout) {
        if (!dialect().locking().limitsStatements()) {
            return this;
        }
        AbstractJdbcOutboxStore limited = newInstance(table(), codec);
        limited.table.limitMarks(timeout);
        limited.table.clearErrors(table.clearsErrors());
        return limited;
    }

    @Override
    public OutboxStore clearingErrors() {
        AbstractJdbcOutboxStore clearing = newInstance(table(), codec);
        clearing.table.clearErrors(true);
        return clearing;
    }

    @Override
    public void createTable(Connection conn, boolean ordered) {
        new TableCreation(table, name()).create(conn, ordered);
    }

    /** {@inheritDoc} The message of the exception names what is missing and the script that creates it. */
    @Override
    public void checkSchema(Connection conn) {
        new SchemaCheck(table, name()).requireTable(conn);
    }

    @Override
    public Preflight preflight() {
        return new JdbcPreflight(
                this,
                table(),
                dialect(),
                List.of(new DatabaseCheck(name(), this::supports), new SchemaCheck(table, name())));
    }
}
