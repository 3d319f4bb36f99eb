package outbox.jdbc.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.jdbc.it.Signals.Kind;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/** Error texts that no cleaning makes fit: a database that cannot store their characters, and a column that somebody made narrower. */
@Timeout(120)
class PostgresRefusedTextIT {

    private static final String DATABASE = "refused_text_it";

    private HikariDataSource pool;

    @BeforeEach
    void createDatabase() throws SQLException {
        TestDatabase server = TestServers.postgresql();
        server.dropDatabase(DATABASE);
        HikariConfig config = new HikariConfig();
        try (Connection conn = server.connect();
                var statement = conn.createStatement()) {
            statement.execute("CREATE DATABASE " + DATABASE + " ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
        }
        config.setJdbcUrl(server.jdbcUrl().replaceFirst("/[^/?]+($|\\?)", "/" + DATABASE + "$1"));
        config.setUsername(server.user());
        config.setPassword(server.password());
        pool = new HikariDataSource(config);
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "postgresql", TableName.DEFAULT);
        }
        Tables.execute(pool, "ALTER TABLE outbox_event ALTER COLUMN last_error TYPE VARCHAR(100)");
    }

    @AfterEach
    void dropDatabase() {
        pool.close();
        TestServers.postgresql().dropDatabase(DATABASE);
    }

    @ParameterizedTest(name = "{0}, leased: {1}")
    @CsvSource({"characters, false", "characters, true", "length, false", "length, true"})
    void an_event_whose_error_text_is_refused_is_tried_as_often_as_any_other_and_ends_dead(
            String reason, boolean leased) throws Exception {
        String text = reason.equals("length") ? "x".repeat(200) : "\u65e5\u672c";
        AtomicInteger deliveries = new AtomicInteger();
        try (Node node = new Node(
                pool,
                new PostgresOutboxStore(),
                dispatcher -> dispatcher.maxAttempts(3),
                poller -> leased ? poller.claimLocking(Duration.ofMinutes(5)) : poller)) {
            node.listeners.register("Paid", event -> {
                deliveries.incrementAndGet();
                throw new IllegalStateException(text);
            });
            node.poller.start();
            node.commit(EventEnvelope.ofJson("Paid", "{}"));
            node.signals.await(Kind.DEAD, 1);

            assertThat(node.signals.count(Kind.FAILURE)).isEqualTo(2);
            assertThat(deliveries).hasValue(3);
            assertThat(Tables.select(pool, "SELECT last_error FROM outbox_event"))
                    .containsExactly("java.lang.IllegalStateException");
        }
    }
}
