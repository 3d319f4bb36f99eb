package outbox.domain;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import outbox.OutboxWriter;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.OutboxEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** A database of its own with the outbox table and a table of orders. */
final class H2Outbox implements AutoCloseable {

    final DataSource dataSource;
    final DataSourceConnectionProvider connections;
    final H2OutboxStore store = new H2OutboxStore();
    final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    final JdbcTransactionManager transactions;
    final OutboxWriter writer = new OutboxWriter(txContext, store);

    H2Outbox() throws SQLException {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        dataSource = h2;
        connections = new DataSourceConnectionProvider(h2);
        transactions = new JdbcTransactionManager(connections, txContext);
        try (Connection conn = h2.getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
            execute(conn, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
        }
    }

    static void execute(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    List<String> column(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    List<String> eventTypes() throws SQLException {
        return column("SELECT event_type FROM outbox_event ORDER BY created_at, event_id");
    }

    OutboxEvent onlyRow() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            List<OutboxEvent> rows = store.pollPending(conn, Instant.now(), Duration.ZERO, 2);
            assertThat(rows).hasSize(1);
            return rows.get(0);
        }
    }

    /** What the script for ordered delivery adds. */
    void prepareForOrder() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            execute(
                    conn,
                    "CREATE INDEX idx_outbox_event_key ON outbox_event (aggregate_type, aggregate_id, status, seq)");
        }
    }

    @Override
    public void close() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            execute(conn, "SHUTDOWN");
        }
    }
}
