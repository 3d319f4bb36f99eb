package outbox.jdbc.purge;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.EventIds;

/** What MySQL, TiDB and MariaDB have in common, including that each one's driver connects to the other's server. */
abstract class MySqlFamilyEventPurger extends AbstractJdbcEventPurger {

    /** Behind MySQL's driver the version may begin with that of a MySQL which the server pretends to be. */
    private static final Pattern MARIADB = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+-mariadb", Pattern.CASE_INSENSITIVE);

    MySqlFamilyEventPurger(TableName table) {
        super(table);
    }

    @Override
    protected boolean skipsLocked(DatabaseMetaData database) throws SQLException {
        return skipsLocked(database.getDatabaseProductVersion());
    }

    /** MySQL can since 8.0, MariaDB since 10.6, and TiDB cannot. */
    static boolean skipsLocked(String productVersion) {
        if (productVersion.contains("TiDB")) {
            return false;
        }
        Matcher mariaDb = MARIADB.matcher(productVersion);
        if (!mariaDb.find()) {
            return true;
        }
        int major = Integer.parseInt(mariaDb.group(1));
        return major > 10 || (major == 10 && Integer.parseInt(mariaDb.group(2)) >= 6);
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
