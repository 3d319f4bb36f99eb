package outbox.jdbc.purge;

import java.sql.DatabaseMetaData;
import java.util.Collection;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.EventIds;

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

    /** Purges a table that may be in a schema of its own. */
    public PostgresEventPurger(TableName table) {
        super(table);
    }

    @Override
    protected boolean skipsLocked(DatabaseMetaData database) {
        return true;
    }

    @Override
    EventIds eventIds(Collection<String> ids) {
        return EventIds.anyOf(ids);
    }
}
