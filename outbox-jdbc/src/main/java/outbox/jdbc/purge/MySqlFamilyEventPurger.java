package outbox.jdbc.purge;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.EventIds;
import outbox.jdbc.internal.SkipLocked;

/** What MySQL, TiDB and MariaDB have in common, including that each one's driver connects to the other's server. */
abstract class MySqlFamilyEventPurger extends AbstractJdbcEventPurger {

    MySqlFamilyEventPurger(TableName table) {
        super(table);
    }

    @Override
    protected boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return SkipLocked.isKnownTo(database);
    }

    /** Left to itself the optimizer may read a small table as a whole, and lock all of it under REPEATABLE READ. */
    @Override
    String primaryKeyHint() {
        return " FORCE INDEX (PRIMARY)";
    }

    /**
     * A delete takes no hint. But one that is to delete less than there is goes through an index, and so does not stumble over rows that
     * others hold.
     */
    @Override
    String deletion(String tableName, EventIds ids, int rows) {
        return super.deletion(tableName, ids, rows) + " LIMIT " + rows;
    }
}
