package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.it.Signals.Kind;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Payload and headers carry a marker; whatever fails, it must be neither in the table's error column nor in the log. */
@Timeout(60)
abstract class NoContentSuite {

    private static final String TABLE = "content_outbox";
    private static final String MARKER = "S3CRET-content";
    private static final String PAYLOAD = "{\"note\":\"" + MARKER + "\"}";

    private final LibraryLog log = new LibraryLog();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE);
    }

    @AfterEach
    void theMarkerIsNowhere() {
        log.close();
        assertThat(log.entries()).noneMatch(entry -> entry.contains("S3CRET"));
        assertThat(Tables.select(
                        database().pool(), "SELECT last_error FROM " + TABLE + " WHERE last_error IS NOT NULL"))
                .noneMatch(error -> error.contains("S3CRET"));
        Tables.drop(database().pool(), TableName.of(TABLE)); // with the constraints that a test has added
    }

    @Test
    void listeners_and_interceptors_that_quote_what_they_were_given() throws Exception {
        EventInterceptor quoting = EventInterceptor.after((event, error) -> {
            throw new IllegalStateException(event.payloadJson(), error);
        });
        try (Node node = node(settings -> settings.maxAttempts(2).interceptor(quoting))) {
            node.listeners.register("Failing", event -> {
                throw new IllegalStateException(event.payloadJson() + event.headers());
            });
            node.poller.start();
            node.commit(event("failing", "Failing"), event("unroutable", "Nobody listens"));
            node.signals.await(Kind.DEAD, 2);
        }

        assertThat(table.find("failing").lastError()).contains("IllegalStateException: {\"note\":\"***\"}");
        assertThat(table.find("unroutable").lastError()).contains("No listener");
        assertThat(log.entries())
                .anyMatch(
                        entry -> entry.contains("table " + TABLE + ", tenant acme) is DEAD after 2 failed attempt(s)"));
    }

    @Test
    void a_row_whose_headers_are_no_headers() throws Exception {
        try (Node node = node(UnaryOperator.identity())) {
            insert(event("malformed", "Failing"));
            Tables.execute(database().pool(), "UPDATE " + TABLE + " SET headers = " + jsonText("[\"" + MARKER + "\"]"));
            node.poller.poll();
        }

        assertThat(table.find("malformed").lastError()).contains("Cannot be decoded");
    }

    @Test
    void a_database_that_refuses_to_mark_an_event() throws Exception {
        refuseRowsUnless("status <> 1", "NEW.status <> 1");
        try (Node node = node(settings -> settings.drainTimeoutMs(300))) {
            node.listeners.register("Handled", event -> {});
            node.commit(event("refused", "Handled"));
            node.signals.await(Kind.HOT_ENQUEUED, 1);
        }

        assertThat(log.entries())
                .anyMatch(entry -> entry.startsWith("Cannot record that Event refused") && entry.contains("SQLState"));
    }

    @Test
    void a_database_that_refuses_to_claim_an_event() throws Exception {
        insert(event("refused", "Handled"));
        refuseRowsUnless("locked_by IS NULL", "NEW.locked_by IS NULL");
        try (Node node = new Node(
                database().pool(),
                table.store(),
                UnaryOperator.identity(),
                settings -> settings.claimLocking(Duration.ofMinutes(1)))) {
            node.poller.poll();
        }

        assertThat(log.entries()).anyMatch(entry -> entry.startsWith("Poll of ") && entry.contains("SQLState 23"));
    }

    @Test
    void an_insert_that_the_database_refuses_is_told_to_the_caller_without_content_and_not_logged() throws Exception {
        insert(event("twice", "Handled"));
        try (Node node = node(UnaryOperator.identity())) {
            assertThatExceptionOfType(OutboxStoreException.class)
                    .isThrownBy(() -> node.commit(event("twice", "Handled")))
                    .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("S3CRET"));
        }

        assertThat(log.entries()).noneMatch(entry -> entry.contains("twice"));
    }

    /** MySQL before 8.0.16 reads constraints and ignores them; there a trigger quotes what it refuses. */
    private void refuseRowsUnless(String condition, String conditionOfTrigger) {
        Tables.execute(
                database().pool(),
                database() == TestedDatabase.MYSQL
                        ? "CREATE TRIGGER content_refused BEFORE UPDATE ON " + TABLE + " FOR EACH ROW BEGIN"
                                + " DECLARE quoted VARCHAR(128) DEFAULT LEFT(NEW.payload, 128);"
                                + " IF NOT (" + conditionOfTrigger + ") THEN"
                                + " SIGNAL SQLSTATE '23000' SET MESSAGE_TEXT = quoted; END IF; END"
                        : "ALTER TABLE " + TABLE + " ADD CONSTRAINT content_refused CHECK (" + condition + ")");
    }

    private Node node(UnaryOperator<OutboxDispatcher.Builder> settings) {
        return new Node(database().pool(), table.store(), settings, UnaryOperator.identity());
    }

    private void insert(EventEnvelope event) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            table.store().insertNew(conn, event);
        }
    }

    private String jsonText(String json) {
        return database() == TestedDatabase.H2 ? "JSON '" + json + "'" : "'" + json + "'";
    }

    private static EventEnvelope event(String id, String type) {
        return EventEnvelope.builder(type)
                .eventId(id)
                .tenantId("acme")
                .payloadJson(PAYLOAD)
                .headers(Map.of("token", MARKER))
                .build();
    }
}
