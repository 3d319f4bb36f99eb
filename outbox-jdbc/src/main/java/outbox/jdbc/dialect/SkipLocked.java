package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which servers of MySQL's family can pass over rows that others have locked. */
final class SkipLocked {

    /** Behind MySQL's driver the version may begin with that of a MySQL which the server pretends to be. */
    private static final Pattern MARIADB = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+-mariadb", Pattern.CASE_INSENSITIVE);

    private SkipLocked() {}

    /** MySQL can since 8.0, MariaDB since 10.6, and TiDB cannot. */
    static boolean isKnownTo(DatabaseMetaData mySqlFamily) throws SQLException {
        return isKnownTo(mySqlFamily.getDatabaseProductVersion());
    }

    static boolean isKnownTo(String productVersion) {
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
}
