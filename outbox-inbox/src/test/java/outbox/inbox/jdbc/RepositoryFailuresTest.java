package outbox.inbox.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeState;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.MarkConsumeFailedCommand;
import outbox.inbox.TransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the inbox makes of failures: of the database's, by the same rules as the outbox, and of a handler's, without the event's content. */
class RepositoryFailuresTest {

    private static final String GROUP = "mail";

    private final HikariDataSource database = new HikariDataSource();
    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private final EventEnvelope event = EventEnvelope.builder("OrderPlaced")
            .headers(Map.of("Authorization", "Bearer s3cr3t-t0ken"))
            .payloadJson("{}")
            .build();
    private Connection other;
    private EventDedupRepository repository;

    @BeforeEach
    void createTable() throws SQLException {
        database.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=50");
        other = database.getConnection();
        InboxSchema.create(other, "h2", InboxSchema.DEFAULT_TABLE);
        repository = JdbcInbox.on(database, context).repository();
    }

    @AfterEach
    void close() throws SQLException {
        other.close();
        database.close();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void a_record_that_somebody_has_locked_for_too_long_is_in_progress() throws SQLException {
        repository.tryAcquire(AcquireConsumeCommand.of(GROUP, event, "first", Duration.ofMinutes(1)));
        other.setAutoCommit(false);
        execute("UPDATE event_consume_record SET updated_at = CURRENT_TIMESTAMP");

        assertThat(repository
                        .tryAcquire(AcquireConsumeCommand.of(GROUP, event, "second", Duration.ofMinutes(1)))
                        .state())
                .isEqualTo(AcquireConsumeState.IN_PROGRESS);
    }

    @Test
    void a_record_that_the_table_refuses_is_not_taken_for_one_that_is_there() throws SQLException {
        execute("ALTER TABLE event_consume_record ADD CHECK (error_msg <> 'forbidden')");
        MarkConsumeFailedCommand failed =
                new MarkConsumeFailedCommand(GROUP, event, null, "forbidden", Duration.ofMinutes(1), false);

        assertThatThrownBy(() -> repository.markFailed(failed)).isInstanceOf(OutboxStoreException.class);
    }

    @Test
    void the_value_of_a_header_in_an_exceptions_message_is_not_recorded() {
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(database), context);
        DefaultEventHandlerTemplate template =
                new DefaultEventHandlerTemplate(repository, context, TransactionRunner.of(transactions));

        assertThatThrownBy(() -> template.consume(
                        GROUP,
                        event,
                        arrived -> {
                            throw new IllegalStateException(
                                    "401 for " + arrived.headers().get("Authorization"));
                        },
                        ConsumeOptions.defaults()))
                .hasMessageContaining("s3cr3t-t0ken");

        assertThat(repository.find(GROUP, event.eventId()).orElseThrow().errorMsg())
                .isEqualTo("java.lang.IllegalStateException: 401 for ***");
    }
}
