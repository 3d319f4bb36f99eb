package outbox.inbox;

import java.sql.Connection;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.spring.SpringTxContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The template in transactions that Spring manages. */
class SpringTransactionsTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("OrderPlaced", "{}");

    private JdbcConnectionPool pool;
    private JdbcTemplate jdbc;
    private TransactionTemplate transactions;
    private EventDedupRepository repository;
    private EventHandlerTemplate template;
    private TransactionStatus status;

    @BeforeEach
    void open() throws Exception {
        pool = JdbcConnectionPool.create("jdbc:h2:mem:spring;DB_CLOSE_DELAY=-1", "sa", "");
        try (Connection conn = pool.getConnection()) {
            InboxSchema.create(conn, "h2", InboxSchema.DEFAULT_TABLE);
        }
        DataSource dataSource = pool;
        jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE effect (event_id VARCHAR(36))");
        SpringTxContext context = new SpringTxContext(dataSource);
        transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        repository = JdbcInbox.on(dataSource, context).repository();
        template = new DefaultEventHandlerTemplate(
                repository,
                context,
                work -> transactions.executeWithoutResult(begun -> {
                    status = begun;
                    work.run();
                }));
    }

    @AfterEach
    void close() {
        jdbc.execute("DROP ALL OBJECTS");
        pool.dispose();
    }

    private void effect(EventEnvelope event) {
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isTrue();
        jdbc.update("INSERT INTO effect VALUES (?)", event.eventId());
    }

    private int effects() {
        return jdbc.queryForObject("SELECT count(*) FROM effect", Integer.class);
    }

    private ConsumeStatus status() {
        return repository.find("g", EVENT.eventId()).orElseThrow().status();
    }

    @Test
    void the_handlers_work_and_the_record_are_committed_together() {
        for (ConsumeOptions options :
                new ConsumeOptions[] {ConsumeOptions.defaults(), ConsumeOptions.inOneTransaction()}) {
            template.consume("g", EVENT, this::effect, options);
            assertThat(effects()).isEqualTo(1);
            assertThat(status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        }
    }

    @Test
    void a_failure_rolls_the_work_back_and_its_record_survives() {
        for (ConsumeOptions options : new ConsumeOptions[] {
            ConsumeOptions.retriedBySender(), ConsumeOptions.retriedBySender().withAcquisition(Acquisition.LEASE)
        }) {
            assertThatThrownBy(() -> template.consume(
                            "g",
                            EVENT,
                            event -> {
                                effect(event);
                                throw new IllegalStateException("no");
                            },
                            options))
                    .hasMessage("no");
            assertThat(effects()).isZero();
            assertThat(status()).isEqualTo(ConsumeStatus.FAILED);
        }
        assertThat(repository.find("g", EVENT.eventId()).orElseThrow().retryCount())
                .isEqualTo(2);
    }

    @Test
    void a_transaction_that_was_marked_for_rollback_does_not_count_as_handled() {
        assertThatThrownBy(() -> template.consume(
                        "g",
                        EVENT,
                        event -> {
                            effect(event);
                            status.setRollbackOnly();
                        },
                        ConsumeOptions.inOneTransaction()))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasMessageContaining("was rolled back although its handler returned");
        assertThat(effects()).isZero();
        assertThat(status()).isEqualTo(ConsumeStatus.FAILED);
    }

    @Test
    void in_a_transaction_of_the_caller_nothing_is_consumed() {
        transactions.executeWithoutResult(status -> assertThatThrownBy(() -> template.consume("g", EVENT, this::effect))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("consume events outside of one"));
    }
}
