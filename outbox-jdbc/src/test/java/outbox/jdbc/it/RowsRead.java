package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the rows and index entries that a database looks at, which says on every machine the same about what a statement costs. */
final class RowsRead {

    private static final String MYSQL_FAMILY =
            "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name = 'Handler_icp_attempts'";
    private static final String POSTGRESQL =
            "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables";
    private static final Pattern H2_SCAN = Pattern.compile("scanCount: (\\d+)");

    private final TestedDatabase database;

    /** Work on a connection. */
    @FunctionalInterface
    interface Work {
        void on(Connection conn) throws SQLException;
    }

    RowsRead(TestedDatabase database) {
        this.database = database;
    }

    /** The rows that the work has made the database look at. */
    long during(Connection conn, Work work) throws SQLException {
        if (database == TestedDatabase.H2) {
            return inH2(conn, work);
        }
        String counters = database == TestedDatabase.POSTGRESQL ? POSTGRESQL : MYSQL_FAMILY;
        // PostgreSQL counts for each transaction.
        conn.setAutoCommit(false);
        try {
            long before = sum(conn, counters);
            work.on(conn);
            return sum(conn, counters) - before;
        } finally {
            conn.commit();
            conn.setAutoCommit(true);
        }
    }

    private static long sum(Connection conn, String counters) throws SQLException {
        long sum = 0;
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(counters)) {
            while (rows.next()) {
                sum += rows.getLong(2);
            }
        }
        return sum;
    }

    private static long inH2(Connection conn, Work work) throws SQLException {
        ExplainingConnection explaining = ExplainingConnection.executing(conn);
        work.on(explaining.connection());
        long sum = 0;
        for (String plan : explaining.plans()) {
            Matcher scan = H2_SCAN.matcher(plan);
            while (scan.find()) {
                sum += Long.parseLong(scan.group(1));
            }
        }
        return sum;
    }
}
