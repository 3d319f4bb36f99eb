package outbox.proof.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.proof.database.DatabaseKind;
import outbox.proof.history.Booking;
import outbox.proof.history.Consumption;
import outbox.proof.history.Delivery;
import outbox.proof.history.Fate;
import outbox.proof.history.FaultWindow;
import outbox.proof.history.History;
import outbox.proof.history.HistoryChecker;
import outbox.proof.history.OutboxRow;
import outbox.proof.history.OutboxRules;
import outbox.proof.history.Verdict;
import outbox.proof.process.Script;
import outbox.testservers.TestDatabase;

/** Nodes on one database, and what can be said about them from outside. */
final class Cluster implements AutoCloseable {

    static final String OUTBOX = "outbox_event";
    static final String PAYLOAD = "{}";

    private static final String PENDING = "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)";
    private static final int PATIENCE_SECONDS = 120;
    private static final long LOOK_MILLIS = 50;

    private final TestDatabase database;
    private final Path directory;
    private final Duration lease;
    private final List<NodeProcess> nodes = new ArrayList<>();

    Cluster(TestDatabase database, DatabaseKind kind, Path directory, Duration lease) throws SQLException {
        this.database = database;
        this.directory = directory;
        this.lease = lease;
        try (Connection conn = connect()) {
            OutboxSchema.create(conn, kind.label(), TableName.DEFAULT);
            JdbcTemplate.update(conn, "CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY)");
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
    }

    NodeProcess startNode() throws Exception {
        return startNodes(1).get(0);
    }

    List<NodeProcess> startNodes(int count) throws Exception {
        return startNodes(count, UnaryOperator.identity());
    }

    /** Starts nodes that are not as usual, and waits until they are ready. */
    List<NodeProcess> startNodes(int count, UnaryOperator<ClusterNodeSettings> change) throws Exception {
        List<NodeProcess> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(launch(change));
        }
        for (NodeProcess node : started) {
            node.await("ready");
        }
        return started;
    }

    /** Starts a node; it may not be ready yet. */
    NodeProcess launch(UnaryOperator<ClusterNodeSettings> change) throws IOException {
        ClusterNodeSettings usual = new ClusterNodeSettings(database, directory.resolve("node-" + nodes.size()), lease);
        NodeProcess node = NodeProcess.start(change.apply(usual));
        nodes.add(node);
        return node;
    }

    long count(String sql) throws SQLException {
        try (Connection conn = connect()) {
            return count(conn, sql);
        }
    }

    private static long count(Connection conn, String sql) throws SQLException {
        return JdbcTemplate.query(conn, sql, row -> row.getLong(1)).get(0);
    }

    /** Waits until a query yields 0. There is no signal across processes, so the database is asked now and then. */
    void awaitZero(String sql) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!becomesZero(sql, deadline)) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Asks on one connection; returns false if that breaks, for instance because the database was killed. */
    private boolean becomesZero(String sql, long deadline) throws Exception {
        try (Connection conn = connect()) {
            while (true) {
                long now = count(conn, sql);
                if (now == 0) {
                    return true;
                }
                requireBefore(deadline, now, sql);
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (SQLException e) {
            System.err.println("The database does not answer: " + e);
            requireBefore(deadline, e, sql);
            return false;
        }
    }

    private static void requireBefore(long deadline, Object latest, String sql) {
        if (System.nanoTime() > deadline) {
            throw new AssertionError("still " + latest + " after " + PATIENCE_SECONDS + " s: " + sql);
        }
    }

    /** Lets each node write so many events, and returns when all are committed. */
    void write(List<NodeProcess> writers, int each, int perTransaction) throws Exception {
        for (NodeProcess node : writers) {
            node.order("write " + each + " " + perTransaction);
        }
        for (NodeProcess node : writers) {
            node.await("written");
        }
    }

    /** Waits until so many more events are committed. */
    void awaitMoreCommitted(int events) throws Exception {
        awaitCommitted(count("SELECT count(*) FROM business") + events);
    }

    /** Waits until at least so many events are committed. */
    void awaitCommitted(long events) throws Exception {
        awaitZero("SELECT CASE WHEN count(*) >= " + events + " THEN 0 ELSE 1 END FROM business");
    }

    void awaitNothingPending() throws Exception {
        awaitZero(PENDING);
    }

    /**
     * What happened, by the business table, the rows and the journals of the nodes.
     *
     * @param committed events that were committed
     * @param verdict on what became of them; a repetition is excused if a node that had the event was killed soon after
     */
    record Judged(int committed, Verdict verdict) {

        /** All promises were kept, and nothing was repeated. */
        boolean isExactlyOnce() {
            return verdict.isGood() && verdict.explainedRepeats() == 0;
        }
    }

    Judged judge() throws Exception {
        List<Booking> bookings;
        List<OutboxRow> rows;
        try (Connection conn = connect()) {
            bookings = JdbcTemplate.query(conn, "SELECT event_id FROM business", row -> booking(row.getString(1)));
            rows = JdbcTemplate.query(
                    conn,
                    "SELECT event_id, status, locked_by FROM outbox_event",
                    row -> new OutboxRow(OUTBOX, row.getString(1), row.getInt(2), row.getString(3)));
        }
        List<Delivery> deliveries = new ArrayList<>();
        List<FaultWindow> faults = new ArrayList<>();
        for (NodeProcess node : nodes) {
            deliveries.addAll(node.deliveries());
            node.death().ifPresent(faults::add);
        }
        History history = new History(
                Map.of(OUTBOX, new OutboxRules(false, false, false)),
                lease,
                bookings,
                deliveries,
                List.of(),
                rows,
                Consumption.NONE,
                faults,
                Map.of(),
                List.of());
        return new Judged(bookings.size(), HistoryChecker.check(history));
    }

    private static Booking booking(String eventId) {
        return new Booking(OUTBOX, eventId, null, 0, 0, Fate.WELL, Script.sum(PAYLOAD), false);
    }

    @Override
    public void close() throws Exception {
        for (NodeProcess node : nodes) {
            node.close();
        }
    }
}
