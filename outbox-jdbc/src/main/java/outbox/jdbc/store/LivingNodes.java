package outbox.jdbc.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.OptionalInt;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;

/** Counts the nodes that have shown themselves of late, without looking at what they hold. */
final class LivingNodes {

    private final EventTable table;
    private final String sql;

    LivingNodes(EventTable table, DatabaseTime time) {
        this.table = table;
        this.sql =
                "SELECT COUNT(*) FROM " + table.name().beside("_node") + " WHERE last_seen > " + time.nowPlusMicros();
    }

    OptionalInt count(Connection conn, Duration silence) {
        return OptionalInt.of(table.run(
                        "count nodes",
                        () -> JdbcTemplate.query(conn, sql, row -> row.getInt(1), -EventTable.micros(silence)))
                .get(0));
    }
}
