package outbox.inbox.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** The databases that every suite runs on, each with the tables of outbox and inbox and one for the effects of handlers. */
class TestedDatabase {

    static final TestedDatabase H2 = new TestedDatabase("h2", TestedDatabase::h2File);
    static final TestedDatabase POSTGRESQL = new TestedDatabase("postgresql", () -> fresh(TestServers.postgresql()));
    static final TestedDatabase MYSQL = new TestedDatabase("mysql", () -> fresh(TestServers.mysql()));
    static final TestedDatabase MARIADB = new TestedDatabase("mariadb", () -> fresh(TestServers.mariadb()));

    /** A MariaDB server, but connected to by MySQL's driver. */
    static final TestedDatabase MARIADB_THROUGH_MYSQL_DRIVER =
            new TestedDatabase("mariadb", () -> fresh(TestServers.mariadb().withUrlPrefix("jdbc:mysql:")));

    /** Where a database is. */
    record Address(String url, String user, String password) {

        HikariDataSource pool(int size) {
            return pool(size, Duration.ofMinutes(1));
        }

        HikariDataSource pool(int size, Duration patience) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(user);
            config.setPassword(password);
            config.setMaximumPoolSize(size);
            config.setConnectionTimeout(patience.toMillis());
            return new HikariDataSource(config);
        }
    }

    private final String dialect;
    private final Supplier<Address> start;
    private Address address;
    private HikariDataSource pool;

    TestedDatabase(String dialect, Supplier<Address> start) {
        this.dialect = dialect;
        this.start = start;
    }

    String dialect() {
        return dialect;
    }

    synchronized Address address() {
        if (address == null) {
            address = start.get();
            try (HikariDataSource first = address.pool(1);
                    Connection conn = first.getConnection()) {
                OutboxSchema.create(conn, dialect, TableName.DEFAULT);
                InboxSchema.create(conn, dialect, InboxSchema.DEFAULT_TABLE);
                JdbcTemplate.update(conn, Effects.DDL);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
        return address;
    }

    synchronized HikariDataSource pool() {
        if (pool == null) {
            pool = address().pool(12);
        }
        return pool;
    }

    /** Whether two transactions can write at the same time. */
    boolean writesConcurrently() {
        return true;
    }

    /** Whether sessions have time zones. */
    boolean hasTimeZones() {
        return true;
    }

    /** An assignment that moves a time. */
    String moved(String column, int days) {
        return column + " = " + column + " + INTERVAL '" + days + "' DAY";
    }

    /** The statement that sets the time zone of a session, given as an offset. */
    String setTimeZone(String offset) {
        if (this == POSTGRESQL) {
            return "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
        }
        return this == H2 ? "SET TIME ZONE '" + offset + "'" : "SET time_zone = '" + offset + "'";
    }

    /** Whether the shipped tables pad texts with spaces before they compare them. */
    boolean ignoresSpacesBehind() {
        return dialect.equals("mysql") || dialect.equals("mariadb");
    }

    /** Statements that make a user who may connect and nothing else. */
    List<String> createUser(String name, String password) {
        return switch (dialect) {
            case "h2" -> List.of("CREATE USER " + name + " PASSWORD '" + password + "'");
            case "postgresql" -> List.of("CREATE ROLE " + name + " LOGIN PASSWORD '" + password + "'");
            default ->
                List.of(
                        "CREATE USER " + grantee(name) + " IDENTIFIED BY '" + password + "'",
                        // Whoever has no right at all in a database cannot connect to it.
                        "GRANT CREATE TEMPORARY TABLES ON *.* TO " + grantee(name));
        };
    }

    /** A user as rights are given to it. */
    String grantee(String user) {
        return ignoresSpacesBehind() ? "'" + user + "'@'%'" : user;
    }

    String dropUser(String name) {
        return (dialect.equals("postgresql") ? "DROP ROLE " : "DROP USER ") + grantee(name);
    }

    /** A file that several processes may open. */
    private static Address h2File() {
        try {
            String file = Files.createTempDirectory("inbox-h2").resolve("db").toString();
            return new Address("jdbc:h2:file:" + file + ";AUTO_SERVER=TRUE", "sa", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Address fresh(TestDatabase server) {
        TestDatabase created = server.fresh("outbox_inbox");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> server.dropDatabase(created.name())));
        return new Address(created.jdbcUrl(), created.user(), created.password());
    }
}
