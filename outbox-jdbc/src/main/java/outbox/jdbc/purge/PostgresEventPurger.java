package outbox.jdbc.purge;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.PostgresDialect;

/** Purges finished events in PostgreSQL. */
public final class PostgresEventPurger extends AbstractJdbcEventPurger {

    /** Purges {@code outbox_event}. */
    public PostgresEventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public PostgresEventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    private PostgresEventPurger(TableName table) {
        super(table, new PostgresDialect());
    }

    /** Purges a table that may be in a schema of its own. */
    public static PostgresEventPurger on(TableName table) {
        return new PostgresEventPurger(table);
    }
}
