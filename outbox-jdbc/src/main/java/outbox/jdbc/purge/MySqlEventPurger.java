package outbox.jdbc.purge;

import outbox.jdbc.TableName;

/** Purges finished events in MySQL and TiDB. */
public final class MySqlEventPurger extends MySqlFamilyEventPurger {

    /** Purges {@code outbox_event}. */
    public MySqlEventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MySqlEventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    /** Purges a table that may be in a schema of its own. */
    public MySqlEventPurger(TableName table) {
        super(table);
    }
}
