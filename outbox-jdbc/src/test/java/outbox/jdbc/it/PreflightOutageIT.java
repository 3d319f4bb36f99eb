package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.spi.ConnectionProvider;
import outbox.testservers.DatabaseServer;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An outbox that starts before its database. */
@Timeout(120)
class PreflightOutageIT {

    /** As providers of frameworks say it, Spring's for example. */
    private static final class NoConnection extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoConnection(SQLException cause) {
            super("Failed to obtain JDBC Connection", cause);
        }
    }

    private static ConnectionProvider connections(HikariDataSource pool, boolean unchecked) {
        return unchecked
                ? () -> {
                    try {
                        return pool.getConnection();
                    } catch (SQLException e) {
                        throw new NoConnection(e);
                    }
                }
                : new DataSourceConnectionProvider(pool);
    }

    private static HikariDataSource pool(TestDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setConnectionTimeout(500);
        pool.setInitializationFailTimeout(-1);
        return pool;
    }

    /** Without the name of the database nobody knows how to speak to it; the message says how it is given. */
    @Test
    void the_shortest_wiring_begins_before_its_database_if_that_is_named() throws Exception {
        CountDownLatch delivered = new CountDownLatch(1);
        try (DatabaseServer server =
                new PostgresServer(ServerSettings.in(TestServers.newServerDirectory("preflight-named")))) {
            server.start();
            try (Connection conn = server.database().connect()) {
                OutboxSchema.create(conn, "postgresql", TableName.DEFAULT);
            }
            server.stop();
            try (HikariDataSource pool = pool(server.database())) {
                assertThatThrownBy(() -> JdbcOutbox.builder(pool))
                        .isInstanceOf(OutboxStoreException.class)
                        .hasMessageContaining("JdbcOutbox.builder(dataSource, table, \"postgresql\")");
                assertThatThrownBy(() -> JdbcOutbox.builder(pool, TableName.DEFAULT, "postgre"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("Unknown outbox store: postgre; known are [");
                try (Outbox outbox = JdbcOutbox.builder(pool, TableName.DEFAULT, "postgresql")
                                .listener("Paid", event -> delivered.countDown())
                                .build();
                        Outbox joining = JdbcOutbox.builder(
                                        pool, new ThreadLocalTxContext(), TableName.DEFAULT, "postgresql")
                                .writerOnly()
                                .build()) {
                    outbox.start();
                    joining.start();
                    assertThat(joining.preflight().asked()).isFalse();

                    server.start();
                    writeAsSoonAsPossible(outbox);
                    assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
                }
            }
        }
    }

    private static void writeAsSoonAsPossible(Outbox outbox) throws Exception {
        while (true) { // the test's timeout ends it
            try {
                outbox.inTransaction(tx -> {
                    outbox.write("Paid", "{}");
                });
                return;
            } catch (RuntimeException e) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void it_says_that_it_waits_and_delivers_what_is_in_the_table_once_the_server_is_there(boolean unchecked)
            throws Exception {
        PostgresOutboxStore store = new PostgresOutboxStore();
        CountDownLatch delivered = new CountDownLatch(1);
        try (DatabaseServer server =
                new PostgresServer(ServerSettings.in(TestServers.newServerDirectory("preflight-outage")))) {
            server.start();
            try (Connection conn = server.database().connect()) {
                OutboxSchema.create(conn, "postgresql", TableName.DEFAULT);
                store.insertNew(
                        conn, EventEnvelope.builder("Paid").payloadJson("{}").build());
            }
            server.stop();
            try (HikariDataSource pool = pool(server.database());
                    Outbox outbox = Outbox.builder(store, connections(pool, unchecked), new ThreadLocalTxContext())
                            .listener("Paid", event -> delivered.countDown())
                            .build()) {
                outbox.start();
                assertThat(outbox.preflight().asked()).isFalse();
                assertThat(outbox.health().warnings())
                        .anyMatch(problem -> problem.startsWith("Preflight: waits for the database ("));
                assertThat(delivered.getCount()).isEqualTo(1);

                server.start();
                assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
                assertThat(outbox.health().problems()).noneMatch(problem -> problem.startsWith("Preflight"));
                assertThat(outbox.preflight().passed()).isTrue();
            }
        }
    }
}
