package outbox.jdbc.purge;

import outbox.jdbc.TableName;
import outbox.jdbc.dialect.MySqlDialect;

/** Purges finished events in MySQL and TiDB. */
public final class MySqlEventPurger extends AbstractJdbcEventPurger {

    /** Purges {@code outbox_event}. */
    public MySqlEventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MySqlEventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    private MySqlEventPurger(TableName table) {
        super(table, new MySqlDialect());
    }

    /** Purges a table that may be in a schema of its own. */
    public static MySqlEventPurger on(TableName table) {
        return new MySqlEventPurger(table);
    }
}
