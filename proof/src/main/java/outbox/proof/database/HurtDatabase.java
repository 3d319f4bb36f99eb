package outbox.proof.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.testservers.DatabaseServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** A server of its own, with a new database for each round. */
public final class HurtDatabase implements AutoCloseable {

    /** Who the processes under proof are to the database. */
    private static final String USER = "proof_node";

    private final DatabaseKind kind;
    private final DatabaseServer server;
    private TestDatabase database;
    private List<Contended> contended = List.of();

    private HurtDatabase(DatabaseKind kind, DatabaseServer server) {
        this.kind = kind;
        this.server = server;
        this.database = server.database();
    }

    /**
     * Starts a server whose commits survive all that is done to it: what it has told the operating system outlives its death. Waiting for
     * the disk would only be asked of it if the machine died.
     */
    public static HurtDatabase start(DatabaseKind kind) {
        DatabaseServer server = kind.server(ServerSettings.in(TestServers.newServerDirectory("proof")));
        server.start();
        return new HurtDatabase(kind, server);
    }

    /** What it is. */
    public DatabaseKind kind() {
        return kind;
    }

    /** What can be killed and stopped. */
    public DatabaseServer server() {
        return server;
    }

    /** Which rows somebody else may lock. */
    public List<Contended> contended() {
        return contended;
    }

    /** Creates the tables of a round. */
    interface Tables {
        void create(Connection conn) throws SQLException;
    }

    void begin(Tables tables, List<Contended> rows) throws SQLException {
        database = server.database().fresh("proof");
        contended = rows;
        try (Connection conn = connect()) {
            tables.create(conn);
            for (String sql : kind.preparation(USER)) {
                JdbcTemplate.update(conn, sql);
            }
            grant(conn);
        }
    }

    /** Lets the processes use all tables there are. */
    void grant(Connection conn) throws SQLException {
        for (String sql : kind.grants(USER, database.name())) {
            JdbcTemplate.update(conn, sql);
        }
    }

    /** Removes what belongs to the round. */
    public void end() throws SQLException {
        if (kind == DatabaseKind.POSTGRESQL) {
            try (Connection conn = connect()) {
                JdbcTemplate.update(conn, "DROP OWNED BY " + USER);
            }
        }
        server.database().dropDatabase(database.name());
    }

    /** How the processes reach it, through a port of this machine. */
    public TestDatabase throughPort(int port) {
        TestDatabase plain = kind.withPlainDriver(database).throughPort(port);
        return new TestDatabase(plain.jdbcUrl(), USER, USER);
    }

    /** A statement with which the processes' connections begin. */
    public String sessionSettings() {
        return kind.sessionSettings();
    }

    /** A connection past all proxies, which may write whatever the server refuses to others. */
    public Connection connect() throws SQLException {
        Connection conn = database.connect();
        if (kind == DatabaseKind.POSTGRESQL) {
            JdbcTemplate.update(conn, "SET default_transaction_read_only = OFF");
        }
        return conn;
    }

    /** Makes it refuse to write, or write again. */
    public void readOnly(boolean now) throws SQLException {
        try (Connection conn = connect()) {
            for (String sql : kind.readOnly(now)) {
                execute(conn, sql);
            }
        }
    }

    /** Lets connections that are made from now on never write, or write again. Those that are there stay what they are. */
    public void makeReadOnlySessions(boolean now) throws SQLException {
        try (Connection conn = connect()) {
            execute(conn, kind.readOnlySessions(USER, now));
        }
    }

    /** Ends all connections of the processes. */
    public void cutSessions() throws SQLException {
        try (Connection conn = connect()) {
            for (long session : sessions(conn)) {
                cut(conn, session);
            }
        }
    }

    private void cut(Connection conn, long session) {
        try {
            execute(conn, kind.killSession(session));
        } catch (SQLException e) {
            System.err.println("Session " + session + " has ended by itself: " + e.getMessage());
        }
    }

    private List<Long> sessions(Connection conn) throws SQLException {
        return JdbcTemplate.query(conn, kind.sessionsOf(), row -> row.getLong(1), USER);
    }

    private static void execute(Connection conn, String sql) throws SQLException {
        try (var statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    /** How many connections the processes have. */
    public int connections() throws SQLException {
        try (Connection conn = connect()) {
            return sessions(conn).size();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
