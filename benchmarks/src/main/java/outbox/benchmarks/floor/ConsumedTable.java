package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.database.DatabaseKind;

/** The least that tells whether an event was handled: group, id and time, under a primary key. */
final class ConsumedTable {

    static final String DDL =
            "CREATE TABLE floor_consumed (consumer_group VARCHAR(64) NOT NULL, event_id VARCHAR(64) NOT"
                    + " NULL, consumed_at TIMESTAMP NOT NULL, PRIMARY KEY (consumer_group, event_id))";

    private static final String ROW = "('G', ?, CURRENT_TIMESTAMP)";

    private final String insert;
    private final String ending;

    ConsumedTable(DatabaseKind kind) {
        boolean mySqlFamily = kind == DatabaseKind.MYSQL || kind == DatabaseKind.MARIADB;
        this.insert = "INSERT " + (mySqlFamily ? "IGNORE " : "") + "INTO floor_consumed VALUES ";
        this.ending = kind == DatabaseKind.POSTGRESQL ? " ON CONFLICT DO NOTHING" : "";
    }

    /** Records the events in one statement; part of the connection's transaction. */
    void insert(Connection connection, List<BenchEvent> events) throws SQLException {
        String sql = insert + ROW + (", " + ROW).repeat(events.size() - 1) + ending;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < events.size(); i++) {
                statement.setString(i + 1, events.get(i).id());
            }
            statement.executeUpdate();
        }
    }
}
