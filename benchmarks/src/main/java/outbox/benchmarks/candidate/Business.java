package outbox.benchmarks.candidate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The business side of each transaction: one row in a table of its own. */
public final class Business {

    /** Creates the table, on every database. */
    public static final String DDL = "CREATE TABLE business_order (id BIGINT PRIMARY KEY, note VARCHAR(100) NOT NULL)";

    /** Inserts a row; parameters are its id and its note. */
    public static final String INSERT = "INSERT INTO business_order (id, note) VALUES (?, ?)";

    private static final String NOTE = "an order worth telling about";

    private Business() {}

    /** Inserts the row that belongs to an event, in the connection's transaction. */
    public static void insert(Connection connection, BenchEvent event) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            insert(statement, event);
        }
    }

    /** Inserts the rows that belong to several events, in one statement. */
    public static void insertAll(Connection connection, List<BenchEvent> events) throws SQLException {
        String sql = INSERT + ", (?, ?)".repeat(events.size() - 1);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < events.size(); i++) {
                statement.setLong(2 * i + 1, events.get(i).number());
                statement.setString(2 * i + 2, NOTE);
            }
            statement.executeUpdate();
        }
    }

    /** As {@link #insert(Connection, BenchEvent)}, with a statement made from {@link #INSERT}. */
    public static void insert(PreparedStatement statement, BenchEvent event) throws SQLException {
        statement.setLong(1, event.number());
        statement.setString(2, NOTE);
        statement.executeUpdate();
    }
}
