package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxException;
import outbox.OutboxTransaction;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** One outbox writes in the transaction of another one, and follows its end by itself. No outbox is started, so there are no polls. */
@Timeout(60)
abstract class JoinedOutboxesSuite {

    private static final TableName ORDERS = TableName.of("joining_orders");
    private static final TableName AUDIT = TableName.of("joining_audit");

    private final Journal delivered = new Journal();

    abstract TestedDatabase database();

    @BeforeEach
    void createTables() {
        Tables.shipped(database(), ORDERS.table());
        Tables.shipped(database(), AUDIT.table());
    }

    private Outbox outbox(DataSource dataSource, TableName table) {
        return JdbcOutbox.builder(dataSource, table)
                .withoutPurge()
                .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)))
                .defaultListener(event -> delivered.add(table + " " + event.eventId()))
                .build();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Placed").eventId(id).payloadJson("{}").build();
    }

    private String rows(TableName table) {
        return Tables.select(database().pool(), "SELECT event_id FROM " + table + " ORDER BY event_id")
                .toString();
    }

    @Test
    void both_are_committed_and_delivered_without_a_word_and_without_a_poll() throws Exception {
        try (Outbox orders = outbox(database().pool(), ORDERS);
                Outbox audit = outbox(database().pool(), AUDIT)) {
            AtomicReference<JoinedWriter> joined = new AtomicReference<>();
            orders.inTransaction(tx -> {
                orders.write(event("a"));
                joined.set(audit.on(tx));
                joined.get().write(event("a"));
            });

            delivered.await(2);
            // Looked for once it was committed, not only after a while: then nothing could be written any more.
            assertThatIllegalStateException()
                    .isThrownBy(() -> joined.get().write(event("b")))
                    .withMessageContaining("after committed()");
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("joining_orders a", "joining_audit a");
    }

    @Test
    void what_throws_leaves_nothing_in_either() throws Exception {
        try (Outbox orders = outbox(database().pool(), ORDERS);
                Outbox audit = outbox(database().pool(), AUDIT)) {
            assertThatThrownBy(() -> orders.inTransaction(tx -> {
                        orders.write(event("a"));
                        audit.on(tx).write(event("a"));
                        throw new IOException("no stock");
                    }))
                    .isInstanceOf(IOException.class);
            orders.inTransaction(tx -> {
                orders.write(event("b"));
                audit.on(tx).write(event("b"));
            });

            delivered.await(2);
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("joining_orders b", "joining_audit b");
        assertThat(rows(ORDERS)).isEqualTo("[b]");
        assertThat(rows(AUDIT)).isEqualTo("[b]");
    }

    @Test
    void a_lost_answer_to_the_commit_is_looked_for_in_both() throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        try (Outbox orders = outbox(answers.dataSource(), ORDERS);
                Outbox audit = outbox(database().pool(), AUDIT)) {
            answers.loseNextAnswer();
            assertThatThrownBy(() -> orders.inTransaction(tx -> {
                        orders.write(event("a"));
                        audit.on(tx).write(event("a"));
                    }))
                    .isInstanceOf(OutboxException.class);

            delivered.await(2);
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("joining_orders a", "joining_audit a");
    }

    @Test
    void one_connection_for_both_is_enough_and_transactions_are_not_nested() throws Exception {
        try (HikariDataSource one = database().newPool(1, true)) {
            try (Outbox orders = outbox(one, ORDERS);
                    Outbox audit = outbox(one, AUDIT)) {
                orders.inTransaction(tx -> {
                    audit.on(tx).write(event("a"));
                    assertThatIllegalStateException()
                            .isThrownBy(() -> orders.inTransaction(nested -> {}))
                            .withMessageContaining("not nested");
                    orders.write(event("a"));
                });

                delivered.await(2);
            }
            assertThat(one.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("joining_orders a", "joining_audit a");
    }

    @Test
    void a_transaction_by_hand_is_followed_too_and_one_that_has_ended_or_is_of_another_thread_is_refused()
            throws Exception {
        JdbcTransactionManager transactions = new JdbcTransactionManager(
                new DataSourceConnectionProvider(database().pool()), new ThreadLocalTxContext());
        try (Outbox audit = outbox(database().pool(), AUDIT)) {
            JdbcTransactionManager.Transaction tx = transactions.begin();
            Thread other = new Thread(() -> assertRefused(audit, tx));
            AtomicReference<Throwable> failure = new AtomicReference<>();
            other.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
            other.start();
            other.join();
            assertThat(failure).hasValue(null);
            JoinedWriter events = audit.on(tx);
            events.write(event("a"));
            tx.commit();

            delivered.await(1);
            assertThatIllegalStateException()
                    .isThrownBy(() -> events.write(event("b")))
                    .withMessageContaining("after committed()");
            assertRefused(audit, tx);
        }
        assertThat(delivered.entries()).containsExactly("joining_audit a");
    }

    private static void assertRefused(Outbox outbox, OutboxTransaction tx) {
        assertThatIllegalStateException()
                .isThrownBy(() -> outbox.on(tx))
                .withMessageContaining("has ended, or was begun by another thread");
    }

    @Test
    void a_transaction_that_no_outbox_has_begun_is_joined_as_its_connection() throws Exception {
        try (Outbox audit = outbox(database().pool(), AUDIT);
                Connection conn = database().pool().getConnection()) {
            OutboxTransaction foreign = () -> conn;
            conn.setAutoCommit(true);
            assertThatIllegalStateException()
                    .isThrownBy(() -> audit.on(foreign))
                    .withMessageContaining("autocommit mode");
            conn.setAutoCommit(false);
            audit.on(foreign).write(event("a"));
            conn.commit();

            delivered.await(1);
        }
        assertThat(delivered.entries()).containsExactly("joining_audit a");
    }
}
