package outbox.jdbc;

import java.util.Objects;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.spi.TxContext;

/**
 * Outboxes in a database that a data source leads to.
 *
 * <pre>{@code
 * Outbox outbox = JdbcOutbox.builder(dataSource, txContext)
 *         .listener("OrderPlaced", event -> send(event.payloadJson()))
 *         .build();
 * outbox.start();
 * }</pre>
 */
public final class JdbcOutbox {

    private JdbcOutbox() {}

    /** Describes an outbox on the table {@code outbox_event}. */
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
        StoreFinder.Found found = StoreFinder.get().find(dataSource, table);
        return Outbox.builder(found.store(), new DataSourceConnectionProvider(dataSource), transactions)
                .purger(found.purger());
    }
}
