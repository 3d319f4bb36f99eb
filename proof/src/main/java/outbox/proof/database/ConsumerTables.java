package outbox.proof.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.JdbcTemplate;
import outbox.proof.history.Consumption;
import outbox.proof.history.Consumption.Balance;
import outbox.proof.history.Consumption.ConsumeRow;
import outbox.proof.history.Consumption.Effect;

/** What the consumers have in their database: effects, and records of what they have consumed. */
public final class ConsumerTables {

    private final HurtDatabase database;

    /** In that database. */
    public ConsumerTables(HurtDatabase database) {
        this.database = database;
    }

    /** Creates them; no key keeps an effect from being there twice. */
    public void create() throws SQLException {
        database.begin(this::create, List.of(new Contended("balance", "account", "units <> 0")));
    }

    private void create(Connection conn) throws SQLException {
        InboxSchema.create(conn, database.kind().label(), InboxSchema.DEFAULT_TABLE);
        JdbcTemplate.update(
                conn,
                "CREATE TABLE effect (event_id VARCHAR(36) NOT NULL, outbox VARCHAR(40) NOT NULL,"
                        + " debited VARCHAR(20) NOT NULL, credited VARCHAR(20) NOT NULL, payload_sum BIGINT NOT NULL,"
                        + " process VARCHAR(40) NOT NULL)");
        JdbcTemplate.update(conn, "CREATE TABLE balance (account VARCHAR(20) PRIMARY KEY, units BIGINT NOT NULL)");
        OutboxTables.insertForEachAccount(conn, "INSERT INTO balance (account, units) VALUES (?, 0)");
    }

    /** What has happened in them. */
    public Consumption consumption() throws SQLException {
        try (Connection conn = database.connect()) {
            return new Consumption(
                    JdbcTemplate.query(
                            conn,
                            "SELECT outbox, event_id, debited, credited, payload_sum, process FROM effect",
                            row -> new Effect(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getString(4),
                                    row.getLong(5),
                                    row.getString(6))),
                    JdbcTemplate.query(
                            conn,
                            "SELECT consumer_group, event_id, status FROM " + InboxSchema.DEFAULT_TABLE,
                            row -> new ConsumeRow(row.getString(1), row.getString(2), row.getInt(3))),
                    JdbcTemplate.query(
                            conn,
                            "SELECT account, units FROM balance",
                            row -> new Balance(row.getString(1), row.getLong(2))));
        }
    }
}
