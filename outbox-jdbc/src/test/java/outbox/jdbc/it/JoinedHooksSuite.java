package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxException;
import outbox.WriterHook;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.spi.MetricsExporter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the hooks of an outbox, and its meters, hear of events in transactions of others. Nothing is polled. */
@Timeout(60)
abstract class JoinedHooksSuite {

    private static final TableName TABLE = TableName.of("joined_hooks_outbox");

    /** Who delivers, and so who has to be asked for the row. */
    private enum Delivers {
        WITH_LEASES,
        ALONE,
        WITH_ROOM_FOR_ONE,
        NOTHING;

        OutboxBuilder set(OutboxBuilder builder) {
            return switch (this) {
                case WITH_LEASES -> builder;
                case ALONE -> builder.singleProcess();
                case WITH_ROOM_FOR_ONE -> builder.dispatcher(dispatcher -> dispatcher.hotQueueCapacity(1));
                case NOTHING -> builder.writerOnly();
            };
        }
    }

    private final Journal heard = new Journal();
    private final Journal counted = new Journal();

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.shipped(database(), TABLE.table());
    }

    private final class Listening implements WriterHook {

        private void note(String what, List<EventEnvelope> events) {
            events.forEach(event -> heard.add(what + " " + event.eventId()));
        }

        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            note("before", events);
            return events.stream()
                    .filter(event -> !event.eventId().equals("unwanted"))
                    .toList();
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            note("written", events);
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            note("committed", events);
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            note("rolled back", events);
        }

        @Override
        public void afterUnknown(List<EventEnvelope> events) {
            note("unknown", events);
        }
    }

    private final class Counting extends MetricsExporter.Noop {

        @Override
        public void eventWritten(String eventType, String tenantId) {
            counted.add(eventType + " of " + tenantId);
        }
    }

    private Outbox outbox(Delivers process) {
        return process.set(JdbcOutbox.builder(database().pool(), TABLE)
                        .withoutPurge()
                        .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)))
                        .defaultListener(event -> {})
                        .hook(new Listening())
                        .metrics(new Counting()))
                .build();
    }

    private Connection begin() throws SQLException {
        Connection conn = database().pool().getConnection();
        conn.setAutoCommit(false);
        return conn;
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .tenantId("t")
                .payloadJson("{}")
                .build();
    }

    @ParameterizedTest
    @EnumSource(Delivers.class)
    void hooks_hear_of_a_write_at_once_and_of_its_commit_when_the_row_was_seen(Delivers process) throws Exception {
        try (Outbox outbox = outbox(process);
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            events.write(event("b"));
            assertThat(events.write(event("unwanted"))).isNull();
            assertThat(heard.entries())
                    .containsExactly("before a", "written a", "before b", "written b", "before unwanted");
            conn.commit();
            events.committed();

            heard.await(7);
            counted.await(2);
        }
        assertThat(heard.entries()).hasSize(7).contains("committed a", "committed b");
        assertThat(counted.entries()).containsExactly("Placed of t", "Placed of t");
    }

    @ParameterizedTest
    @EnumSource(Delivers.class)
    void a_wrong_word_tells_hooks_of_no_event_that_is_not_there(Delivers process) throws Exception {
        try (Outbox outbox = outbox(process);
                Connection conn = begin()) {
            JoinedWriter wrong = outbox.on(conn);
            wrong.write(event("a"));
            wrong.write(event("b"));
            wrong.committed();
            conn.rollback();
        }
        // The close looks once more, and gives up.
        assertThat(heard.entries())
                .containsExactlyInAnyOrder("before a", "written a", "before b", "written b", "unknown a", "unknown b");
    }

    @ParameterizedTest
    @EnumSource(Delivers.class)
    void after_a_rollback_with_its_word_hooks_hear_of_it_once_no_row_was_seen(Delivers process) throws Exception {
        try (Outbox outbox = outbox(process);
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            conn.rollback();
            events.rolledBack();

            heard.await(3);
        }
        assertThat(heard.entries()).containsExactly("before a", "written a", "rolled back a");
        assertThat(counted.entries()).isEmpty();
    }

    @Test
    void a_rollback_that_was_none_is_heard_of_as_a_commit() throws Exception {
        try (Outbox outbox = outbox(Delivers.WITH_LEASES);
                Connection conn = begin()) {
            JoinedWriter events = outbox.on(conn);
            events.write(event("a"));
            conn.commit();
            events.rolledBack();

            heard.await(3);
        }
        assertThat(heard.entries()).containsExactly("before a", "written a", "committed a");
    }

    @Test
    void in_a_writers_own_transaction_nothing_is_looked_for_and_the_end_is_heard_of_at_once() {
        try (Outbox outbox = outbox(Delivers.NOTHING)) {
            outbox.inTransaction(tx -> outbox.write(event("a")));

            assertThat(heard.entries()).containsExactly("before a", "written a", "committed a");
            assertThat(counted.entries()).containsExactly("Placed of t");
        }
    }

    @Test
    void what_is_found_after_a_lost_answer_was_committed_after_all() throws Exception {
        LostAnswers answers = new LostAnswers(database().pool());
        try (Outbox outbox = JdbcOutbox.builder(answers.dataSource(), TABLE)
                .withoutPurge()
                .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)))
                .defaultListener(event -> {})
                .hook(new Listening())
                .metrics(new Counting())
                .build()) {
            answers.loseNextAnswer();
            assertThatThrownBy(() -> outbox.inTransaction(tx -> outbox.write(event("a"))))
                    .isInstanceOf(OutboxException.class);

            heard.await(4);
            counted.await(1);
        }
        assertThat(heard.entries()).containsExactlyInAnyOrder("before a", "written a", "unknown a", "committed a");
        assertThat(counted.entries()).containsExactly("Placed of t");
    }
}
