package outbox.proof.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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

    /** Of these outboxes. */
    public OutboxTables(HurtDatabase database, Collection<String> outboxes) {
        this.database = database;
        this.outboxes = List.copyOf(outboxes);
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
                        + " account VARCHAR(20) NOT NULL, n BIGINT NOT NULL, place INT NOT NULL,"
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

    /** How many events are neither delivered nor dead. */
    public int pending() throws SQLException {
        int pending = 0;
        try (Connection conn = database.connect()) {
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
        try (Connection conn = database.connect()) {
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
