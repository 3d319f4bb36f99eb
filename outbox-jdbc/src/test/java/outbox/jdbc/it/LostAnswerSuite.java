package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.model.EventStatus;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A commit whose answer is lost throws, and its events are delivered if it was one. Nothing is polled, unless a test starts the outbox. */
@Timeout(60)
abstract class LostAnswerSuite {

    private static final TableName TABLE = TableName.of("lost_answer_outbox");

    private final Journal delivered = new Journal();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE.table());
    }

    private OutboxBuilder builder(DataSource dataSource) {
        return JdbcOutbox.builder(dataSource, TABLE)
                .withoutPurge()
                .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)))
                .dispatcher(dispatcher -> dispatcher.hotQueueCapacity(2))
                .defaultListener(delivered);
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
    }

    private static void write(Outbox outbox, String... ids) {
        outbox.inTransaction(tx -> outbox.writer()
                .writeAll(List.of(ids).stream().map(LostAnswerSuite::event).toList()));
    }

    private void assertUnknown(Outbox outbox, String... ids) {
        assertThatThrownBy(() -> write(outbox, ids))
                .isInstanceOf(OutboxException.class)
                .hasMessageContaining("looked for in the table, and delivered if it was")
                .hasRootCauseMessage("The connection broke");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_was_committed_is_delivered_without_a_poll_and_in_order(boolean ordered) throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        OutboxBuilder builder = builder(answers.dataSource());
        try (Outbox outbox = (ordered ? builder.ordered() : builder).build()) {
            answers.loseNextAnswer();
            assertUnknown(outbox, "a", "b");

            delivered.await(2);
            write(outbox, "c", "d");
            delivered.await(2);
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("a", "b", "c", "d");
        if (ordered) {
            assertThat(delivered.entries()).containsExactly("a", "b", "c", "d");
        }
        assertThat(table.find("a").status()).isEqualTo(EventStatus.DONE);
        assertThat(table.find("a").attempts()).isZero();
        assertThat(table.find("a").lastError()).isNull();
    }

    @Test
    void what_was_not_committed_is_not_delivered_and_takes_no_place_of_others() throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        try (Outbox outbox = builder(answers.dataSource()).build()) {
            answers.loseNextCommit();
            assertUnknown(outbox, "a", "b");
            // Without a poll, so both have found a place in the hot queue.
            write(outbox, "c", "d");

            delivered.await(2);
        }
        assertThat(delivered.entries()).containsExactlyInAnyOrder("c", "d");
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .containsExactlyInAnyOrder("c", "d");
    }

    @Test
    void work_that_is_repeated_with_the_same_id_is_delivered_once() throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        try (Outbox outbox = builder(answers.dataSource()).build()) {
            answers.loseNextCommit();
            assertUnknown(outbox, "a");
            write(outbox, "a");

            delivered.await(1);
        }
        assertThat(delivered.entries()).containsExactly("a");
    }

    @Test
    void one_connection_for_all_is_enough() throws Exception {
        try (HikariDataSource one = database().newPool(1, true)) {
            LostAnswers answers = new LostAnswers(one);
            try (Outbox outbox = builder(answers.dataSource()).build()) {
                answers.loseNextAnswer();
                assertUnknown(outbox, "a");

                delivered.await(1);
            }
            assertThat(one.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
        assertThat(delivered.entries()).containsExactly("a");
    }

    @Test
    void in_a_single_process_the_poller_is_woken() throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        Signals signals = new Signals();
        try (Outbox outbox =
                builder(answers.dataSource()).singleProcess().metrics(signals).build()) {
            outbox.start();
            signals.await(Signals.Kind.POLLED, 1);
            answers.loseNextAnswer();
            assertUnknown(outbox, "a");

            delivered.await(1);
        }
        assertThat(delivered.entries()).containsExactly("a");
    }
}
