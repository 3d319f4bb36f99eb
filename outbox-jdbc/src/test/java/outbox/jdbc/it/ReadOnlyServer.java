package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import outbox.internal.transaction.DatabaseFailure;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testservers.DatabaseServer;
import outbox.testservers.MariaDbServer;
import outbox.testservers.MySqlServer;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** A server of a test's own that can be made to refuse to write, as it is during a fail-over; its connections stay alive. */
final class ReadOnlyServer implements AutoCloseable {

    private static final String APPLICATION = "application";

    /** Administrators may write all the same. */
    private static final List<String> NO_ADMINISTRATOR = List.of(
            "CREATE USER '" + APPLICATION + "'@'%' IDENTIFIED BY '" + APPLICATION + "'",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO '" + APPLICATION + "'@'%'");

    /** The databases that can be switched while they run. */
    @SuppressWarnings("ImmutableEnumChecker") // lists and constructors that nobody changes
    enum Kind {
        POSTGRESQL(
                PostgresServer::new,
                List.of(),
                List.of(
                        "SET default_transaction_read_only = OFF",
                        "ALTER SYSTEM SET default_transaction_read_only = %s",
                        "SELECT pg_reload_conf()")),
        MYSQL(MySqlServer::new, NO_ADMINISTRATOR, List.of("SET GLOBAL read_only = %s")),
        MARIADB(MariaDbServer::new, NO_ADMINISTRATOR, List.of("SET GLOBAL read_only = %s"));

        private final Function<ServerSettings, DatabaseServer> newServer;
        private final List<String> createUser;
        private final List<String> switchOver;

        Kind(Function<ServerSettings, DatabaseServer> newServer, List<String> createUser, List<String> switchOver) {
            this.newServer = newServer;
            this.createUser = createUser;
            this.switchOver = switchOver;
        }

        TestedDatabase dialect() {
            return switch (this) {
                case POSTGRESQL -> TestedDatabase.POSTGRESQL;
                case MYSQL -> TestedDatabase.MYSQL;
                case MARIADB -> TestedDatabase.MARIADB;
            };
        }
    }

    private final Kind kind;
    private final DatabaseServer server;
    private final TestDatabase database;

    ReadOnlyServer(Kind kind) throws SQLException {
        this.kind = kind;
        this.server = kind.newServer.apply(ServerSettings.in(TestServers.newServerDirectory("read-only")));
        server.start();
        this.database = server.database().fresh("outbox");
        execute(kind.createUser);
    }

    /** An empty table that the shipped script makes. */
    TableName create(String name) throws SQLException {
        TableName table = TableName.of(name);
        try (Connection conn = database.connect()) {
            OutboxSchema.create(conn, kind.dialect().store(table).name(), table);
        }
        return table;
    }

    /** Connections of an application that is no administrator. */
    HikariDataSource newPool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(kind.createUser.isEmpty() ? database.user() : APPLICATION);
        config.setPassword(kind.createUser.isEmpty() ? database.password() : APPLICATION);
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }

    /** Returns when each connection of the pool is refused, or served again. */
    void readOnly(boolean now, HikariDataSource pool, TableName table) throws SQLException {
        execute(kind.switchOver.stream()
                .map(sql -> sql.replace("%s", now ? "ON" : "OFF"))
                .toList());
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                all.add(pool.getConnection());
            }
            for (Connection conn : all) {
                awaitReadOnly(conn, now, table);
            }
        } finally {
            for (Connection conn : all) {
                conn.close();
            }
        }
    }

    private static void awaitReadOnly(Connection conn, boolean expected, TableName table) throws SQLException {
        while (isReadOnly(conn, table) != expected) {
            Thread.onSpinWait();
        }
    }

    private static boolean isReadOnly(Connection conn, TableName table) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.executeUpdate("DELETE FROM " + table + " WHERE event_id = 'nobody'");
            return false;
        } catch (SQLException e) {
            if (DatabaseFailure.of(e) != DatabaseFailure.READ_ONLY) {
                throw e;
            }
            return true;
        }
    }

    private void execute(List<String> statements) throws SQLException {
        try (Connection conn = database.connect();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
