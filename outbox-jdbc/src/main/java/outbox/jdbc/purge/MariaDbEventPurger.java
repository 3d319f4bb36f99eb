package outbox.jdbc.purge;

import outbox.jdbc.TableName;

/** Purges finished events in MariaDB. */
public final class MariaDbEventPurger extends MySqlFamilyEventPurger {

    /** Purges {@code outbox_event}. */
    public MariaDbEventPurger() {
        this(TableName.DEFAULT);
    }

    /** Purges the given table; see {@link outbox.jdbc.TableNames#validate}. */
    public MariaDbEventPurger(String tableName) {
        this(TableName.of(tableName));
    }

    /** Purges a table that may be in a schema of its own. */
    public MariaDbEventPurger(TableName table) {
        super(table);
    }
}
