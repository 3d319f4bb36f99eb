package outbox.testservers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import outbox.testservers.processes.TestServerException;

/**
 * The coordinates of one database on a running server.
 *
 * @param jdbcUrl a {@code jdbc:postgresql:}, {@code jdbc:mysql:}, {@code jdbc:mariadb:} or {@code jdbc:h2:tcp:} address that names a database
 * @param user a user who may create databases
 * @param password that user's password
 */
public record TestDatabase(String jdbcUrl, String user, String password) {

    /** @throws TestServerException if {@code jdbcUrl} has another form */
    public TestDatabase {
        JdbcUrl.parse(jdbcUrl);
    }

    /** Opens a new connection; the caller closes it. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, user, password);
    }

    /** The database's name, empty if the address names none. */
    public String name() {
        return JdbcUrl.parse(jdbcUrl).database();
    }

    /**
     * Creates an empty database of the given name on the same server.
     *
     * @throws TestServerException if there is one of that name, or the name is not made of a–z, 0–9 and _
     */
    public TestDatabase createDatabase(String name) {
        if (!isH2()) { // which makes it for the first who connects
            execute("CREATE DATABASE " + identifier(name));
        }
        return new TestDatabase(JdbcUrl.parse(jdbcUrl).withDatabase(name).toString(), user, password);
    }

    /** Creates an empty database whose name begins with the label and that no other test has. */
    public TestDatabase fresh(String label) {
        return createDatabase(label + "_" + UUID.randomUUID().toString().substring(0, 8));
    }

    /** Removes a database of this server, if it is there, in spite of open connections; not this one itself. */
    public void dropDatabase(String name) {
        if (!isH2()) { // where it goes with the files of its server
            execute("DROP DATABASE IF EXISTS " + identifier(name) + (isPostgresql() ? " WITH (FORCE)" : ""));
        }
    }

    /** The same database through another driver, for instance MariaDB through {@code "jdbc:mysql:"}. */
    public TestDatabase withUrlPrefix(String prefix) {
        return new TestDatabase(JdbcUrl.parse(jdbcUrl).withPrefix(prefix).toString(), user, password);
    }

    /** The same database through a driver that is given one more setting. */
    public TestDatabase withParameter(String name, String value) {
        return new TestDatabase(
                JdbcUrl.parse(jdbcUrl).withParameter(name, value).toString(), user, password);
    }

    /** Where the server listens. */
    public int port() {
        return Integer.parseInt(JdbcUrl.parse(jdbcUrl).port(isPostgresql() ? "5432" : "3306"));
    }

    /** The same database by way of another port of this machine, behind which something passes everything on. */
    public TestDatabase throughPort(int port) {
        return new TestDatabase(
                JdbcUrl.parse(jdbcUrl).withAuthority("127.0.0.1:" + port).toString(), user, password);
    }

    private void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new TestServerException(sql + " failed on " + jdbcUrl + ": " + e.getMessage(), e);
        }
    }

    private String identifier(String name) {
        if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
            throw new TestServerException(
                    "name of a database must be at most 63 of a-z, 0-9 and _, begun by a letter, was \"" + name + "\"");
        }
        String quote = isPostgresql() ? "\"" : "`";
        return quote + name + quote;
    }

    private boolean isH2() {
        return jdbcUrl.startsWith("jdbc:h2:");
    }

    private boolean isPostgresql() {
        return jdbcUrl.startsWith("jdbc:postgresql:");
    }
}
