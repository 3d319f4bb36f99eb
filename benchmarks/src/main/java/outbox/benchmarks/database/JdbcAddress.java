package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import outbox.testservers.TestDatabase;

/**
 * How to reach a database.
 *
 * @param url for JDBC
 * @param user who may do everything in it
 * @param password that user's
 */
public record JdbcAddress(String url, String user, String password) {

    static JdbcAddress of(TestDatabase database, String moreOptions) {
        String separator = moreOptions.isEmpty() ? "" : database.jdbcUrl().contains("?") ? "&" : "?";
        return new JdbcAddress(database.jdbcUrl() + separator + moreOptions, database.user(), database.password());
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
