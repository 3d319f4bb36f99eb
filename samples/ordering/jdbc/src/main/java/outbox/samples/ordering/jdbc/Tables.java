package outbox.samples.ordering.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

/** The tables of the shop: its own, and the outbox with what order needs. */
final class Tables {

    private Tables() {}

    static void create(DataSource h2) throws SQLException {
        try (Connection conn = h2.getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
            OutboxSchema.create(conn, "h2-ordered", TableName.DEFAULT);
            JdbcTemplate.update(conn, JdbcOrders.TABLE);
        }
    }
}
