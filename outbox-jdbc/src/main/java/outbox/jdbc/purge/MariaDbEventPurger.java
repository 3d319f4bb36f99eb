package outbox.jdbc.purge;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.MariaDbDialect;

/** Purges finished events in MariaDB. */
public final class MariaDbEventPurger extends AbstractJdbcEventPurger {

    /** Purges {@code outbox_event}. */
    public MariaDbEventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MariaDbEventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    private MariaDbEventPurger(TableName table) {
        super(table, new MariaDbDialect());
    }

    /** Purges a table that may be in a schema of its own. */
    public static MariaDbEventPurger on(TableName table) {
        return new MariaDbEventPurger(table);
    }
}
