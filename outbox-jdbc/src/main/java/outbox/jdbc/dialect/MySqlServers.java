package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tells the servers of MySQL's family apart, and what they mean by exceptions. Each one's driver connects to the other's server. */
final class MySqlServers {

    /** By codes: MySQL's driver reports a timeout with the state of a deadlock. */
    static final Failures FAILURES = Failures.STANDARD
            .codes(Failure.DUPLICATE, 1062)
            .codes(Failure.DEADLOCK, 1213)
            .codes(Failure.SERIALIZATION, 1020)
            .codes(Failure.LOCK_TIMEOUT, 1205, 3572)
            .codes(Failure.READ_ONLY, 1290, 1836, 1792)
            .codes(Failure.NOT_JSON, 3140)
            .codes(Failure.CHECK, 3819, 4025)
            .codes(Failure.MISSING, 1146, 1049)
            .codes(Failure.NO_COLUMN, 1054)
            .codes(Failure.DENIED, 1142, 1143, 1044);

    private static final List<String> NAMES = List.of("mysql", "mariadb", "tidb");

    /** Behind MySQL's driver the version may begin with that of a MySQL which the server pretends to be. */
    private static final Pattern MARIADB = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+-mariadb", Pattern.CASE_INSENSITIVE);

    private MySqlServers() {}

    /** Whether it is one of the family. */
    static boolean include(DatabaseMetaData database) throws SQLException {
        String product = lower(database.getDatabaseProductName());
        String url = lower(database.getURL());
        return NAMES.stream().anyMatch(name -> product.equals(name) || url.startsWith("jdbc:" + name + ":"));
    }

    /** MySQL's driver reports the product MySQL whatever it is connected to; the version tells. */
    static boolean isMariaDb(DatabaseMetaData oneOfThem) throws SQLException {
        return lower(oneOfThem.getDatabaseProductName()).contains("mariadb")
                || lower(oneOfThem.getDatabaseProductVersion()).contains("mariadb");
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }

    /** Whether it can pass over rows that others have locked: MySQL can since 8.0, MariaDB since 10.6, and TiDB cannot. */
    static boolean knowsSkipLocked(DatabaseMetaData oneOfThem) throws SQLException {
        return knowsSkipLocked(oneOfThem.getDatabaseProductVersion());
    }

    static boolean knowsSkipLocked(String productVersion) {
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
