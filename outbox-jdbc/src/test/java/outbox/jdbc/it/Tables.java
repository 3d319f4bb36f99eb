package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testing.contract.JdbcStoreFixture;

/** Makes tables and looks into them. */
final class Tables {

    private static final String SPECIFIED = """
            CREATE TABLE specified_outbox (
              event_id VARCHAR(36) PRIMARY KEY,
              event_type VARCHAR(128) NOT NULL,
              aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128),
              tenant_id VARCHAR(64),
              payload JSON NOT NULL,
              headers JSON,
              status TINYINT NOT NULL,
              attempts INT DEFAULT 0 NOT NULL,
              available_at DATETIME(6) NOT NULL,
              created_at DATETIME(6) NOT NULL,
              done_at DATETIME(6),
              last_error TEXT,
              locked_by VARCHAR(128),
              locked_at DATETIME(6)
            )""";

    private Tables() {}

    /** A new, empty table made by the shipped script. */
    static JdbcStoreFixture shipped(TestedDatabase database, String name) {
        TableName table = TableName.of(name);
        drop(database.pool(), table);
        try (Connection conn = database.pool().getConnection()) {
            OutboxSchema.create(conn, database.store(table).name(), table);
            OutboxSchema.create(conn, database.store(table).name() + "-ordered", table);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return fixture(database, table);
    }

    /** A new, empty table as the specification has it. */
    static JdbcStoreFixture asSpecified(TestedDatabase database) {
        TableName table = TableName.of("specified_outbox");
        drop(database.pool(), table);
        execute(
                database.pool(),
                database.inDialect(SPECIFIED),
                "CREATE INDEX idx_status_available ON specified_outbox(status, available_at, created_at)");
        return new JdbcStoreFixture(database.pool(), table.toString(), database.store(table), database.purger(table)) {
            @Override
            public boolean hasSequence() {
                return false;
            }

            @Override
            public boolean keepsBytes() {
                return false;
            }

            @Override
            public boolean keepsPayloadText() {
                return database.jsonKeepsText();
            }
        };
    }

    /** A table as the specification has it, to which the scripts have added what order needs. */
    static JdbcStoreFixture upgraded(TestedDatabase database) {
        TableName table = TableName.of("upgraded_outbox");
        drop(database.pool(), table);
        execute(database.pool(), specified(database, table.table()));
        String name = database.store(table).name();
        try (Connection conn = database.pool().getConnection()) {
            OutboxSchema.migrate(conn, name, table, 1);
            OutboxSchema.create(conn, name + "-ordered", table);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return fixture(database, table);
    }

    /** A new, empty table in partitions, of which there is only the default one. */
    static void createPartitioned(TestedDatabase database, TableName table) {
        drop(database.pool(), table);
        try (Connection conn = database.pool().getConnection()) {
            OutboxSchema.create(conn, "postgresql-partitioned", table);
            OutboxSchema.create(conn, "postgresql-ordered", table);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The statement that creates a table as the specification has it. */
    static String specified(TestedDatabase database, String name) {
        return database.inDialect(SPECIFIED.replace("specified_outbox", name));
    }

    static JdbcStoreFixture fixture(TestedDatabase database, TableName table) {
        return new JdbcStoreFixture(database.pool(), table.toString(), database.store(table), database.purger(table)) {
            @Override
            public int mostTransformedBytes() {
                return database == TestedDatabase.H2
                        ? EventEnvelope.MAX_PAYLOAD_BYTES // H2's VARBINARY takes no more
                        : super.mostTransformedBytes();
            }
        };
    }

    static void drop(DataSource dataSource, TableName table) {
        execute(dataSource, "DROP TABLE IF EXISTS " + table);
    }

    static void execute(DataSource dataSource, String... statements) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
            if (!conn.getAutoCommit()) {
                conn.commit();
            }
        } catch (SQLException e) {
            throw new AssertionError(String.join("; ", statements), e);
        }
    }

    /** The first column of the result, as strings. */
    static List<String> select(DataSource dataSource, String sql) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
