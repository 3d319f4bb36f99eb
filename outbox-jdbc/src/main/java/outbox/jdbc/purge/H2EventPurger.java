package outbox.jdbc.purge;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.H2Dialect;

/** Purges finished events in H2. */
public final class H2EventPurger extends AbstractJdbcEventPurger {

    /** Purges {@code outbox_event}. */
    public H2EventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public H2EventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    private H2EventPurger(TableName table) {
        super(table, new H2Dialect());
    }

    /** Purges a table that may be in a schema of its own. */
    public static H2EventPurger on(TableName table) {
        return new H2EventPurger(table);
    }
}
