package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;

/**
 * MySQL and MariaDB refuse a limit in a subquery but allow one in the delete itself. It follows the order of the index on
 * (status, done_at), so it stops after the rows it deletes and needs no sort.
 */
abstract class MySqlFamilyEventPurger extends AbstractJdbcEventPurger {

    MySqlFamilyEventPurger(TableName table) {
        super(table);
    }

    @Override
    protected int delete(Connection conn, String tableName, Instant before, int limit) throws SQLException {
        String sql = "DELETE FROM " + tableName + " WHERE " + FINISHED
                + " AND (done_at < ? OR (done_at IS NULL AND created_at < ?)) ORDER BY status, done_at LIMIT ?";
        return JdbcTemplate.update(conn, sql, before, before, limit);
    }
}
