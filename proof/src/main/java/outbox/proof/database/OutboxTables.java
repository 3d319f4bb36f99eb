package outbox.proof.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.proof.history.Booking;
import outbox.proof.history.Fate;
import outbox.proof.history.OutboxRow;
import outbox.proof.process.Accounts;

/** What the nodes have in their database: the business' tables and the outboxes'. */
public final class OutboxTables {

    private final HurtDatabase database;
    private final List<String> outboxes;
    private final Set<String> holding;

    /**
     * Of these outboxes.
     *
     * @param holding those in which accounts may have to wait for a person
     */
    public OutboxTables(HurtDatabase database, Collection<String> outboxes, Set<String> holding) {
        this.database = database;
        this.outboxes = List.copyOf(outboxes);
        this.holding = Set.copyOf(holding);
    }

    /**
     * Creates them.
     *
     * @param firstVersion whether the outboxes' tables are as the first version of the schema had them
     */
    public void create(boolean firstVersion) throws SQLException {
        List<Contended> contended = outboxes.stream()
                .map(outbox -> new Contended(outbox, "event_id", "status IN (0, 2)"))
                .toList();
        database.begin(conn -> create(conn, firstVersion), contended);
    }

    private void create(Connection conn, boolean firstVersion) throws SQLException {
        String kind = database.kind().label();
        for (String outbox : outboxes) {
            TableName table = TableName.of(outbox);
            if (firstVersion) {
                OutboxSchema.migrate(conn, kind, table, 0, 1);
            } else {
                OutboxSchema.create(conn, kind, table);
                OutboxSchema.create(conn, kind + "-ordered", table);
            }
        }
        JdbcTemplate.update(conn, "CREATE TABLE account (id VARCHAR(20) PRIMARY KEY, n BIGINT NOT NULL)");
        JdbcTemplate.update(
                conn,
                "CREATE TABLE booking (event_id VARCHAR(36) PRIMARY KEY, outbox VARCHAR(40) NOT NULL,"
                        + " account VARCHAR(20), n BIGINT NOT NULL, place INT NOT NULL,"
                        + " fate VARCHAR(10) NOT NULL, payload_sum BIGINT NOT NULL)");
        JdbcTemplate.update(conn, "CREATE TABLE pulse (node VARCHAR(40) PRIMARY KEY, n BIGINT NOT NULL)");
        insertForEachAccount(conn, "INSERT INTO account (id, n) VALUES (?, 0)");
    }

    static void insertForEachAccount(Connection conn, String sql) throws SQLException {
        conn.setAutoCommit(false);
        JdbcTemplate.batchUpdate(
                conn, sql, Accounts.all().stream().map(id -> new Object[] {id}).toList());
        conn.commit();
        conn.setAutoCommit(true);
    }

    /** Brings tables of the first version to the newest, each in a transaction where the database has one for that. */
    public void migrate() throws SQLException {
        try (Connection conn = database.connect()) {
            conn.setAutoCommit(false);
            for (String outbox : outboxes) {
                OutboxSchema.migrate(conn, database.kind().label(), TableName.of(outbox), 1);
                database.grant(conn);
                conn.commit();
            }
        }
    }

    /** How many events are neither delivered nor dead, or dead and hold their key. */
    public int pending() throws SQLException {
        int pending = 0;
        try (Connection conn = database.connect()) {
            for (String outbox : outboxes) {
                pending += JdbcTemplate.query(
                                conn,
                                "SELECT count(*) FROM " + outbox
                                        + " WHERE status IN (0, 2) OR (status = 3 AND locked_by IS NOT NULL)",
                                row -> row.getInt(1))
                        .get(0);
            }
        }
        return pending;
    }

    /** How many events that end their process are not dead yet. */
    public int killersLeft() throws SQLException {
        int left = 0;
        try (Connection conn = database.connect()) {
            for (String outbox : outboxes) {
                left += JdbcTemplate.query(
                                conn,
                                "SELECT count(*) FROM booking b JOIN " + outbox + " o ON o.event_id = b.event_id"
                                        + " WHERE b.fate = ? AND o.status IN (0, 2)",
                                row -> row.getInt(1),
                                Fate.KILLER.name())
                        .get(0);
            }
        }
        return left;
    }

    /** What the business has committed. */
    public List<Booking> bookings() throws SQLException {
        try (Connection conn = database.connect()) {
            return JdbcTemplate.query(
                    conn, "SELECT outbox, event_id, account, n, place, fate, payload_sum FROM booking", this::booking);
        }
    }

    private Booking booking(ResultSet row) throws SQLException {
        String account = row.getString(3);
        return new Booking(
                row.getString(1),
                row.getString(2),
                account,
                row.getLong(4),
                row.getInt(5),
                Fate.valueOf(row.getString(6)),
                row.getLong(7),
                holding.contains(row.getString(1)) && account != null && Accounts.isHeld(account));
    }

    /** What is to become of an event. */
    public Fate fate(String eventId) throws SQLException {
        try (Connection conn = database.connect()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT fate FROM booking WHERE event_id = ?",
                            row -> Fate.valueOf(row.getString(1)),
                            eventId)
                    .get(0);
        }
    }

    /** The outboxes in which accounts may have to wait for a person. */
    public Set<String> holding() {
        return holding;
    }

    /** Where they are. */
    public HurtDatabase database() {
        return database;
    }

    /** How the outboxes' rows stand. */
    public List<OutboxRow> rows() throws SQLException {
        List<OutboxRow> rows = new ArrayList<>();
        try (Connection conn = database.connect()) {
            for (String outbox : outboxes) {
                rows.addAll(JdbcTemplate.query(
                        conn,
                        "SELECT event_id, status, locked_by FROM " + outbox,
                        row -> new OutboxRow(outbox, row.getString(1), row.getInt(2), row.getString(3))));
            }
        }
        return rows;
    }
}
