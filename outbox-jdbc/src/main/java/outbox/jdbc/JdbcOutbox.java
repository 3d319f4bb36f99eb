package outbox.jdbc;

import java.util.Objects;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.TransactionStarter;
import outbox.spi.TxContext;

/**
 * Outboxes in a database that a data source leads to.
 *
 * <pre>{@code
 * Outbox outbox = JdbcOutbox.builder(dataSource)
 *         .listener("OrderPlaced", event -> send(event.payloadJson()))
 *         .build();
 * outbox.start();
 * outbox.inTransaction(tx -> {
 *     orders.insert(tx.connection(), order);
 *     outbox.write("OrderPlaced", order.id(), json);
 * });
 * }</pre>
 */
public final class JdbcOutbox {

    private JdbcOutbox() {}

    /**
     * Describes an outbox on the table {@code outbox_event} that brings its own transactions; see {@link Outbox#inTransaction}. Asks the database
     * which it is.
     */
    public static OutboxBuilder builder(DataSource dataSource) {
        return builder(dataSource, TableName.DEFAULT);
    }

    /** Describes an outbox on a table of its own that brings its own transactions; see {@link Outbox#inTransaction}. */
    public static OutboxBuilder builder(DataSource dataSource, TableName table) {
        Objects.requireNonNull(table, "table");
        return ownTransactions(dataSource, StoreFinder.get().find(dataSource, table));
    }

    /**
     * As {@link #builder(DataSource, TableName)}, of a database that is named and so need not be there yet.
     *
     * @param database its kind, such as {@code postgresql}
     * @throws IllegalArgumentException if there is no store of that name; the message has those that there are
     */
    public static OutboxBuilder builder(DataSource dataSource, TableName table, String database) {
        return ownTransactions(dataSource, StoreFinder.get().named(dataSource, table, database));
    }

    private static OutboxBuilder ownTransactions(DataSource dataSource, StoreFinder.Found found) {
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        TransactionStarter transactions = new JdbcTransactionManager(connections, new ThreadLocalTxContext());
        return with(found, Outbox.builder(found.store(), connections, transactions));
    }

    /** Describes an outbox on the table {@code outbox_event} that takes part in transactions of others. */
    public static OutboxBuilder builder(DataSource dataSource, TxContext transactions) {
        return builder(dataSource, transactions, TableName.DEFAULT);
    }

    /**
     * Describes an outbox on a table of its own, which is created with the script of {@link OutboxSchema}.
     *
     * @param transactions in which events are written; several outboxes of one database share it, so that a transaction can write to
     *     more than one
     * @throws IllegalArgumentException if there is no store for the database
     * @throws OutboxStoreException if the database cannot be asked
     */
    public static OutboxBuilder builder(DataSource dataSource, TxContext transactions, TableName table) {
        Objects.requireNonNull(table, "table");
        return joining(dataSource, transactions, StoreFinder.get().find(dataSource, table));
    }

    /**
     * As {@link #builder(DataSource, TxContext, TableName)}, of a database that is named and so need not be there yet.
     *
     * @param database its kind, such as {@code postgresql}
     * @throws IllegalArgumentException if there is no store of that name; the message has those that there are
     */
    public static OutboxBuilder builder(
            DataSource dataSource, TxContext transactions, TableName table, String database) {
        return joining(dataSource, transactions, StoreFinder.get().named(dataSource, table, database));
    }

    private static OutboxBuilder joining(DataSource dataSource, TxContext transactions, StoreFinder.Found found) {
        return with(found, Outbox.builder(found.store(), new DataSourceConnectionProvider(dataSource), transactions));
    }

    private static OutboxBuilder with(StoreFinder.Found found, OutboxBuilder builder) {
        return builder.purger(found.purger()).relayLocks(found.relayLocks());
    }
}
