package outbox.inbox.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeState;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.H2Dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a database gets that has no better way, on one that has. */
class PortableInboxDialectTest {

    private final H2Dialect h2 = new H2Dialect();
    private final InboxDialect dialect = new PortableInboxDialect(h2, InboxSchema.DEFAULT_TABLE, h2.recordTime());
    private Connection conn;

    @BeforeEach
    void createTable() throws SQLException {
        conn = DriverManager.getConnection("jdbc:h2:mem:");
        InboxSchema.create(conn, "h2", InboxSchema.DEFAULT_TABLE);
    }

    @AfterEach
    void close() throws SQLException {
        conn.close();
    }

    private static AcquireConsumeCommand wish(String eventId, String attempt) {
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .eventId(eventId)
                .payloadJson("{}")
                .build();
        return AcquireConsumeCommand.of("mail", event, attempt, Duration.ofMinutes(1));
    }

    private void letLeasesExpire() throws SQLException {
        JdbcTemplate.update(conn, "UPDATE event_consume_record SET locked_until = created_at");
    }

    private AcquireConsumeState acquire(String eventId, String attempt) throws SQLException {
        return dialect.acquire(conn, wish(eventId, attempt)).state();
    }

    private AcquireConsumeState recordSuccess(String eventId, String attempt) throws SQLException {
        return dialect.recordSuccess(conn, wish(eventId, attempt)).state();
    }

    @Test
    void a_lease_keeps_others_out_until_it_expires() throws SQLException {
        assertThat(acquire("e1", "first")).isEqualTo(AcquireConsumeState.ACQUIRED);
        assertThat(acquire("e1", "second")).isEqualTo(AcquireConsumeState.IN_PROGRESS);
        letLeasesExpire();
        assertThat(dialect.acquire(conn, wish("e1", "second")).retryCount()).isEqualTo(1);
        assertThat(acquire("e1", "third")).isEqualTo(AcquireConsumeState.IN_PROGRESS);
    }

    @Test
    void a_handled_event_is_replayed() throws SQLException {
        assertThat(recordSuccess("e1", "first")).isEqualTo(AcquireConsumeState.ACQUIRED);
        assertThat(recordSuccess("e1", "second")).isEqualTo(AcquireConsumeState.REPLAY_SUCCEEDED);
        assertThat(acquire("e2", "first")).isEqualTo(AcquireConsumeState.ACQUIRED);
        letLeasesExpire();
        assertThat(recordSuccess("e2", "second")).isEqualTo(AcquireConsumeState.ACQUIRED);
        assertThat(recordSuccess("e2", "third")).isEqualTo(AcquireConsumeState.REPLAY_SUCCEEDED);
    }

    @Test
    void of_a_batch_those_are_taken_that_are_new() throws SQLException {
        recordSuccess("e2", "first");

        assertThat(dialect.insertNew(conn, List.of(wish("e1", "b"), wish("e2", "b"), wish("e3", "b"))))
                .isEqualTo(2);
        assertThat(dialect.insertNew(conn, List.of(wish("e4", "b"), wish("e5", "b"))))
                .isEqualTo(2);
    }

    @Test
    void old_records_are_purged() throws SQLException {
        recordSuccess("e1", "first");

        assertThat(JdbcTemplate.update(conn, dialect.purge(), 1_000L, 1_000L, 1_000L, 10))
                .isEqualTo(1);
    }

    @Test
    void another_refusal_is_no_duplicate() throws SQLException {
        JdbcTemplate.update(conn, "DROP TABLE event_consume_record");

        assertThatThrownBy(() -> acquire("e1", "first")).isInstanceOf(SQLException.class);
    }
}
