package outbox.boot.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Whether a table is there. */
final class KnownTable {

    private KnownTable() {}

    static boolean isThere(DataSource dataSource, String table) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            boolean autoCommit = conn.getAutoCommit();
            conn.setAutoCommit(true);
            try {
                statement.execute("SELECT 1 FROM " + table + " WHERE 1 = 0");
                return true;
            } catch (SQLException e) {
                return false;
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            return false; // the tool itself says better what is wrong with the database
        }
    }
}
