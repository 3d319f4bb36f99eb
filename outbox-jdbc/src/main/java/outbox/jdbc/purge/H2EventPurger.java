package outbox.jdbc.purge;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import outbox.jdbc.TableName;

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

    /** Purges a table that may be in a schema of its own. */
    public H2EventPurger(TableName table) {
        super(table);
    }

    /** Since 2.2. */
    @Override
    protected boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        int major = database.getDatabaseMajorVersion();
        return major > 2 || (major == 2 && database.getDatabaseMinorVersion() >= 2);
    }
}
