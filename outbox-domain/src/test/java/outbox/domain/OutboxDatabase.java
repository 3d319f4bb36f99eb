package outbox.domain;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import outbox.OutboxWriter;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.OutboxEvent;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/** A database of a test's own, with the outbox table, what order needs, and a table of orders. */
final class OutboxDatabase implements AutoCloseable {

    final HikariDataSource dataSource = new HikariDataSource();
    final DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    final AbstractJdbcOutboxStore store;
    final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    final JdbcTransactionManager transactions = new JdbcTransactionManager(connections, txContext);
    final OutboxWriter writer;
    private final Runnable drop;

    private OutboxDatabase(String url, String user, String password, Runnable drop) throws SQLException {
        this.drop = drop;
        dataSource.setJdbcUrl(url);
        dataSource.setUsername(user);
        dataSource.setPassword(password);
        store = JdbcOutboxStores.detect(dataSource);
        writer = new OutboxWriter(txContext, store);
        try (Connection conn = dataSource.getConnection()) {
            OutboxSchema.create(conn, store.name(), TableName.DEFAULT);
            OutboxSchema.create(conn, store.name() + "-ordered", TableName.DEFAULT);
            execute(conn, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
        }
    }

    static OutboxDatabase h2() throws SQLException {
        return new OutboxDatabase("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "", () -> {});
    }

    static OutboxDatabase postgresql() throws SQLException {
        TestDatabase server = TestServers.postgresql();
        TestDatabase created = server.fresh("outbox_domain");
        return new OutboxDatabase(
                created.jdbcUrl(), created.user(), created.password(), () -> server.dropDatabase(created.name()));
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
        return column("SELECT event_type FROM outbox_event ORDER BY seq");
    }

    List<String> orders() throws SQLException {
        return column("SELECT id FROM orders");
    }

    int countDead() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return store.countDead(conn, null);
        }
    }

    OutboxEvent onlyRow() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            List<OutboxEvent> rows = store.pollPending(conn, Instant.now(), Duration.ZERO, 2);
            assertThat(rows).hasSize(1);
            return rows.get(0);
        }
    }

    @Override
    public void close() {
        dataSource.close();
        drop.run();
    }
}
