package outbox.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testservers.TestDatabase;

/** Nodes on one database, and what can be said about them from outside. */
final class Cluster implements AutoCloseable {

    private static final String PENDING = "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)";
    private static final int PATIENCE_SECONDS = 120;
    private static final long LOOK_MILLIS = 50;

    private final TestDatabase database;
    private final Path directory;
    private final Duration lease;
    private final List<NodeProcess> nodes = new ArrayList<>();

    Cluster(TestDatabase database, String dialect, Path directory, Duration lease) throws SQLException {
        this.database = database;
        this.directory = directory;
        this.lease = lease;
        try (Connection conn = connect()) {
            OutboxSchema.create(conn, dialect, TableName.DEFAULT);
            JdbcTemplate.update(conn, "CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY)");
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
    }

    NodeProcess startNode() throws Exception {
        return startNode(Duration.ZERO);
    }

    /** Starts a node whose clock is wrong by so much, and waits until it is ready. */
    NodeProcess startNode(Duration clockOffset) throws Exception {
        NodeProcess node = launch(clockOffset);
        node.await("ready");
        return node;
    }

    List<NodeProcess> startNodes(int count) throws Exception {
        List<NodeProcess> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(launch(Duration.ZERO));
        }
        for (NodeProcess node : started) {
            node.await("ready");
        }
        return started;
    }

    private NodeProcess launch(Duration clockOffset) throws IOException {
        NodeProcess node = NodeProcess.start(new NodeSettings(
                database.jdbcUrl(),
                database.user(),
                database.password(),
                directory.resolve("node-" + nodes.size()),
                lease,
                clockOffset));
        nodes.add(node);
        return node;
    }

    long count(String sql) throws SQLException {
        try (Connection conn = connect()) {
            return JdbcTemplate.query(conn, sql, row -> row.getLong(1)).get(0);
        }
    }

    /** Waits until a query yields 0. There is no signal across processes, so the database is asked now and then. */
    void awaitZero(String sql) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        long last = -1;
        while (System.nanoTime() < deadline) {
            try {
                last = count(sql);
                if (last == 0) {
                    return;
                }
            } catch (SQLException e) {
                System.err.println("The database does not answer: " + e);
            }
            Thread.sleep(LOOK_MILLIS);
        }
        throw new AssertionError("still " + last + " after " + PATIENCE_SECONDS + " s: " + sql);
    }

    /** Waits until at least so many events are committed. */
    void awaitCommitted(int events) throws Exception {
        awaitZero("SELECT CASE WHEN count(*) >= " + events + " THEN 0 ELSE 1 END FROM business");
    }

    void awaitNothingPending() throws Exception {
        awaitZero(PENDING);
    }

    /**
     * What happened, by the business table and the journals of the nodes.
     *
     * @param committed events that were committed
     * @param lost events that were committed and never delivered
     * @param invented deliveries of events that were never committed
     * @param repeated deliveries beyond the first of their event
     * @param unexplained those of them whose earlier delivery was not on a node that was killed
     */
    record History(int committed, int lost, int invented, int repeated, int unexplained) {}

    History history() throws Exception {
        Set<String> committed;
        try (Connection conn = connect()) {
            committed =
                    new HashSet<>(JdbcTemplate.query(conn, "SELECT event_id FROM business", row -> row.getString(1)));
        }
        Map<String, List<NodeProcess>> deliveries = new HashMap<>();
        for (NodeProcess node : nodes) {
            for (String id : node.deliveries()) {
                deliveries.computeIfAbsent(id, key -> new ArrayList<>()).add(node);
            }
        }
        Set<String> lost = new HashSet<>(committed);
        lost.removeAll(deliveries.keySet());
        Set<String> invented = new HashSet<>(deliveries.keySet());
        invented.removeAll(committed);
        int repeated =
                deliveries.values().stream().mapToInt(by -> by.size() - 1).sum();
        int unexplained = (int) deliveries.values().stream()
                .filter(by -> by.size()
                        > 1 + by.stream().filter(NodeProcess::wasKilled).count())
                .count();
        return new History(committed.size(), lost.size(), invented.size(), repeated, unexplained);
    }

    @Override
    public void close() throws Exception {
        for (NodeProcess node : nodes) {
            node.close();
        }
    }
}
