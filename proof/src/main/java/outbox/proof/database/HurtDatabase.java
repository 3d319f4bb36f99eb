package outbox.proof.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.proof.history.Booking;
import outbox.proof.history.Fate;
import outbox.proof.history.OutboxRow;
import outbox.proof.node.Accounts;
import outbox.testservers.DatabaseServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** A server of its own with the tables of a round, of which a new one begins with {@link #begin}. */
public final class HurtDatabase implements AutoCloseable {

    /** Who the nodes are to the database. */
    public static final String NODE_USER = "proof_node";

    private final DatabaseKind kind;
    private final DatabaseServer server;
    private TestDatabase database;

    private HurtDatabase(DatabaseKind kind, DatabaseServer server) {
        this.kind = kind;
        this.server = server;
        this.database = server.database();
    }

    /** Starts a server whose commits survive everything. */
    public static HurtDatabase start(DatabaseKind kind) {
        ServerSettings settings =
                ServerSettings.in(TestServers.newServerDirectory("proof")).withDurability();
        DatabaseServer server = kind.server(settings);
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

    /**
     * Creates the tables of a round, in a database of its own.
     *
     * @param firstVersion whether the outboxes' tables are as the first version of the schema had them
     */
    public void begin(Iterable<String> outboxes, boolean firstVersion) throws SQLException {
        database = server.database().fresh("proof");
        try (Connection conn = connect()) {
            for (String outbox : outboxes) {
                TableName table = TableName.of(outbox);
                if (firstVersion) {
                    OutboxSchema.migrate(conn, kind.label(), table, 0, 1);
                } else {
                    OutboxSchema.create(conn, kind.label(), table);
                    OutboxSchema.create(conn, kind.label() + "-ordered", table);
                }
            }
            JdbcTemplate.update(conn, "CREATE TABLE account (id VARCHAR(20) PRIMARY KEY, n BIGINT NOT NULL)");
            JdbcTemplate.update(
                    conn,
                    "CREATE TABLE booking (event_id VARCHAR(36) PRIMARY KEY, outbox VARCHAR(40) NOT NULL,"
                            + " account VARCHAR(20) NOT NULL, n BIGINT NOT NULL, place INT NOT NULL,"
                            + " fate VARCHAR(10) NOT NULL, payload_sum BIGINT NOT NULL)");
            JdbcTemplate.update(conn, "CREATE TABLE pulse (node VARCHAR(40) PRIMARY KEY, n BIGINT NOT NULL)");
            conn.setAutoCommit(false);
            JdbcTemplate.batchUpdate(
                    conn,
                    "INSERT INTO account (id, n) VALUES (?, 0)",
                    Accounts.all().stream().map(id -> new Object[] {id}).toList());
            conn.commit();
            conn.setAutoCommit(true);
            for (String sql : kind.createUser(NODE_USER)) {
                JdbcTemplate.update(conn, sql);
            }
            grant(conn);
        }
    }

    private void grant(Connection conn) throws SQLException {
        for (String sql : kind.grants(NODE_USER, database.name())) {
            JdbcTemplate.update(conn, sql);
        }
    }

    /** Brings tables of the first version to the newest, each in a transaction where the database has one for that. */
    public void migrate(Iterable<String> outboxes) throws SQLException {
        try (Connection conn = connect()) {
            conn.setAutoCommit(false);
            for (String outbox : outboxes) {
                OutboxSchema.migrate(conn, kind.label(), TableName.of(outbox), 1);
                grant(conn);
                conn.commit();
            }
        }
    }

    /** Removes what belongs to the round. */
    public void end() throws SQLException {
        if (kind == DatabaseKind.POSTGRESQL) {
            try (Connection conn = connect()) {
                JdbcTemplate.update(conn, "DROP OWNED BY " + NODE_USER);
            }
        }
        server.database().dropDatabase(database.name());
    }

    /** How nodes reach it, through a port of this machine. */
    public TestDatabase forNodes(int port) {
        TestDatabase plain = kind.withPlainCommits(database).throughPort(port);
        return new TestDatabase(plain.jdbcUrl(), NODE_USER, NODE_USER);
    }

    /** A statement with which the nodes' connections begin. */
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

    private static void execute(Connection conn, String sql) throws SQLException {
        try (var statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    /** How many connections the nodes have. */
    public int nodeConnections() throws SQLException {
        try (Connection conn = connect()) {
            return JdbcTemplate.query(conn, kind.connectionsOf(), row -> row.getInt(1), NODE_USER)
                    .get(0);
        }
    }

    /** How many events are neither delivered nor dead. */
    public int pending(Iterable<String> outboxes) throws SQLException {
        int pending = 0;
        try (Connection conn = connect()) {
            for (String outbox : outboxes) {
                pending += JdbcTemplate.query(
                                conn,
                                "SELECT count(*) FROM " + outbox + " WHERE status IN (0, 2)",
                                row -> row.getInt(1))
                        .get(0);
            }
        }
        return pending;
    }

    /** What the business has committed. */
    public List<Booking> bookings() throws SQLException {
        try (Connection conn = connect()) {
            return JdbcTemplate.query(
                    conn,
                    "SELECT outbox, event_id, account, n, place, fate, payload_sum FROM booking",
                    row -> new Booking(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getLong(4),
                            row.getInt(5),
                            Fate.valueOf(row.getString(6)),
                            row.getLong(7)));
        }
    }

    /** How the outboxes' rows stand. */
    public List<OutboxRow> rows(Iterable<String> outboxes) throws SQLException {
        List<OutboxRow> rows = new ArrayList<>();
        try (Connection conn = connect()) {
            for (String outbox : outboxes) {
                rows.addAll(JdbcTemplate.query(
                        conn,
                        "SELECT event_id, status, locked_by FROM " + outbox,
                        row -> new OutboxRow(outbox, row.getString(1), row.getInt(2), row.getString(3))));
            }
        }
        return rows;
    }

    @Override
    public void close() {
        server.close();
    }
}
