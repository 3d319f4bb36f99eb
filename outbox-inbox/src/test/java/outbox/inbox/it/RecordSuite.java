package outbox.inbox.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeRecordPurgeScheduler;
import outbox.inbox.ConsumeRecordStore;
import outbox.inbox.ConsumeRetryRunner;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventHandler;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.spi.ConsumeFailures;
import outbox.spi.ConsumeMetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Retries of kept events, query, replay and purge. */
@Tag("locale")
abstract class RecordSuite {

    private static final Duration DAY = Duration.ofDays(1);
    private static final ConsumeOptions KEEPING =
            ConsumeOptions.inOneTransaction().keepingFailedEvents();

    private InboxFixture inbox;
    private final EventEnvelope event = EventEnvelope.builder(InboxFixture.TYPE)
            .aggregateType("Order")
            .aggregateId("42")
            .tenantId("t1")
            .headers(Map.of("trace", "ü-1"))
            .occurredAt(Instant.parse("2024-02-29T23:59:59.123456Z"))
            .payloadJson("{\"text\": \"größer 🙂\"}")
            .build();

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    private void fail(ConsumeOptions options) {
        assertThatThrownBy(() -> inbox.template.consume(
                        inbox.group, event, inbox.failing(new IllegalStateException("no")), options))
                .hasMessage("no");
    }

    private ConsumeRetryRunner runner(EventHandler handler, ConsumeOptions options) {
        return ConsumeRetryRunner.builder()
                .records(inbox.records)
                .template(inbox.template)
                .options(options)
                .handler(inbox.group, InboxFixture.TYPE, handler)
                .batchSize(2)
                .build();
    }

    @Test
    void a_kept_event_comes_back_as_it_was_when_its_retry_is_due() {
        fail(KEEPING.withBackoff(DAY, DAY));
        assertThat(inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10)).isEmpty();
        inbox.letTimePass(event);

        List<EventEnvelope> due = inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10);

        assertThat(due).hasSize(1);
        assertThat(due.get(0)).usingRecursiveComparison().isEqualTo(event);
        assertThat(inbox.records.findDue(inbox.group, "Other", 10)).isEmpty();
        assertThat(inbox.records.findDue("other", InboxFixture.TYPE, 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/avro", "a/b; x=\";base64,\"; y=\"data:\""})
    void bytes_that_are_kept_come_back_as_they_were(String contentType) {
        byte[] bytes = new byte[300];
        new Random(1).nextBytes(bytes);
        EventEnvelope binary =
                event.toBuilder().payloadJson(null).payload(bytes, contentType).build();
        ConsumeOptions options = KEEPING.withBackoff(DAY, DAY);
        assertThatThrownBy(() -> inbox.template.consume(
                        inbox.group, binary, inbox.failing(new IllegalStateException("no")), options))
                .hasMessage("no");
        inbox.letTimePass(binary);

        List<EventEnvelope> due = inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10);

        assertThat(due).singleElement().satisfies(found -> {
            assertThat(found.isBinary()).isTrue();
            assertThat(found.payloadBytes()).isEqualTo(bytes);
            assertThat(found.contentType()).isEqualTo(contentType);
            assertThat(found.headers()).isEqualTo(binary.headers());
        });
    }

    @Test
    void bytes_that_are_too_large_to_be_kept_do_not_keep_their_failure_from_being_recorded() {
        EventEnvelope large = event.toBuilder()
                .payload(new byte[EventEnvelope.MAX_PAYLOAD_BYTES], "application/avro")
                .build();
        assertThatThrownBy(() -> inbox.template.consume(
                        inbox.group, large, inbox.failing(new IllegalStateException("no")), KEEPING))
                .hasMessage("no");

        assertThat(inbox.record(large).errorMsg()).contains("no");
        assertThat(inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10)).isEmpty();
    }

    @Test
    void failures_are_counted_with_the_exhausted_ones_and_the_largest_number_of_retries() throws SQLException {
        TableName table = TableName.of("counted_record");
        try (Connection conn = database().pool().getConnection()) {
            InboxSchema.create(conn, database().dialect(), table);
            JdbcTemplate.update(conn, "DELETE FROM counted_record");
            ConsumeRecordStore records =
                    JdbcInbox.on(database().pool(), inbox.context, table).records();
            assertThat(records.countFailures(10)).isEqualTo(new ConsumeFailures(0, 0, 0));
            assertThat(records.tableName()).isEqualTo("counted_record");

            String insert = "INSERT INTO counted_record (consumer_group, event_id, event_type, status, error_msg,"
                    + " next_retry_at, retry_count, created_at, updated_at) VALUES ('G', ?, 'T', ?, ?, "
                    + "CASE WHEN ? = 1 THEN CURRENT_TIMESTAMP END, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)";
            JdbcTemplate.update(conn, insert, "handled", 1, "once", 0, 9);
            JdbcTemplate.update(conn, insert, "retried", 2, "no", 1, 3);
            JdbcTemplate.update(conn, insert, "exhausted", 2, "exceeded maxRetry", 0, 7);
            assertThat(records.countFailures(10)).isEqualTo(new ConsumeFailures(2, 1, 7));
            assertThat(records.countFailures(1).failed()).isEqualTo(1);
        }
    }

    @Test
    void log_lines_name_table_and_tenant() {
        try (LogLines log = new LogLines()) {
            fail(KEEPING.withMaxRetry(0));

            assertThat(log.lines())
                    .anyMatch(line -> line.contains("(Order/OrderPlaced, table event_consume_record, tenant t1)")
                            && line.contains(" exceeded maxRetry "));
        }
    }

    @Test
    void log_lines_show_tenants_as_the_template_was_told_to() {
        DefaultEventHandlerTemplate masking = new DefaultEventHandlerTemplate(
                inbox.repository,
                inbox.context,
                TransactionRunner.of(inbox.transactions),
                ConsumeMetrics.NOOP,
                tenant -> "***");
        EventEnvelope unstorable = EventEnvelope.builder(InboxFixture.TYPE)
                .aggregateType("x".repeat(65))
                .tenantId("tenant-one")
                .payloadJson("{}")
                .build();
        EventHandler failing = inbox.failing(new IllegalStateException("no"));
        EventHandler failingAfterCommit = any -> inbox.context.afterCommit(() -> {
            throw new IllegalStateException("a callback");
        });
        try (LogLines log = new LogLines()) {
            assertThatThrownBy(() -> masking.consume(inbox.group, unstorable, failing, KEEPING))
                    .hasMessage("no");
            masking.consume(inbox.group, event, failingAfterCommit, ConsumeOptions.inOneTransaction());
            masking.consumeAll(
                    inbox.group,
                    List.of(InboxFixture.event(), InboxFixture.event()),
                    failingAfterCommit,
                    ConsumeOptions.inOneTransaction());

            String named = ", table event_consume_record, tenant ***) ";
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("Event " + unstorable.eventId())
                            && line.contains(named + "of group " + inbox.group + " cannot be stored as it is"))
                    .anyMatch(line ->
                            line.startsWith("A callback failed after the consumer's work on Event " + event.eventId())
                                    && line.contains(named + "in group " + inbox.group))
                    .anyMatch(line -> line.contains(named + "in group " + inbox.group + " and 1 other event(s)"))
                    .noneMatch(line -> line.contains("tenant-one") || line.contains("tenant t1"));
        }
    }

    @Test
    void the_runner_retries_until_it_works_and_the_event_is_kept_no_longer() {
        fail(KEEPING.withBackoff(Duration.ZERO, Duration.ZERO));
        try (ConsumeRetryRunner failing = runner(
                inbox.failing(new IllegalStateException("again")),
                ConsumeOptions.defaults().withBackoff(Duration.ZERO, Duration.ZERO))) {
            failing.runOnce();
        }
        assertThat(inbox.record(event).retryCount()).isEqualTo(2);
        assertThat(inbox.effects()).isZero();
        try (ConsumeRetryRunner working = runner(inbox.effect(), ConsumeOptions.defaults())) {
            working.runOnce();
            working.runOnce();
        }
        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(kept()).isZero();
    }

    private long kept() {
        return Effects.number(
                inbox.pool,
                "SELECT count(*) FROM event_consume_record WHERE consumer_group = ? AND (payload IS NOT NULL OR headers"
                        + " IS NOT NULL OR next_retry_at IS NOT NULL)",
                inbox.group);
    }

    @Test
    void a_started_runner_retries_by_itself() throws Exception {
        fail(KEEPING.withBackoff(Duration.ZERO, Duration.ZERO));
        CountDownLatch handled = new CountDownLatch(1);
        try (ConsumeRetryRunner runner = runner(
                retried -> {
                    inbox.effect().handle(retried);
                    inbox.context.afterCommit(handled::countDown);
                },
                ConsumeOptions.inOneTransaction())) {
            runner.start();
            runner.start();
            assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void a_retry_whose_process_died_is_due_again_when_its_lease_has_expired() {
        fail(KEEPING.withBackoff(Duration.ZERO, Duration.ZERO));
        inbox.repository.tryAcquire(inbox.wish(event, "dies"));
        assertThat(inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10))
                .as("while the lease lasts")
                .isEmpty();
        inbox.letTimePass(event);
        try (ConsumeRetryRunner runner = runner(inbox.effect(), ConsumeOptions.defaults())) {
            runner.runOnce();
        }
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void without_the_event_the_retry_is_left_to_whoever_delivers_it_again() {
        fail(ConsumeOptions.retriedBySender());
        try (ConsumeRetryRunner runner = runner(inbox.effect(), ConsumeOptions.defaults())) {
            runner.runOnce();
        }
        assertThat(inbox.effects()).isZero();
        assertThat(inbox.template
                        .consume(inbox.group, event, inbox.effect(), ConsumeOptions.retriedBySender())
                        .handled())
                .isTrue();
    }

    @Test
    void exhausted_events_are_found_counted_left_alone_and_replayed_by_hand() {
        fail(KEEPING.withMaxRetry(0));
        assertThat(inbox.records.countFailed(inbox.group, true)).isEqualTo(1);
        assertThat(inbox.records.countFailed(null, true)).isPositive();
        assertThat(inbox.records.findFailed(inbox.group, true, 10))
                .extracting(ConsumeRecord::errorMsg)
                .containsExactly("exceeded maxRetry 0: java.lang.IllegalStateException: no");
        try (ConsumeRetryRunner runner = runner(inbox.effect(), ConsumeOptions.defaults())) {
            runner.runOnce();
            assertThat(inbox.effects()).as("no retry is planned").isZero();

            assertThat(inbox.records.replay(inbox.group, event.eventId())).isTrue();
            assertThat(inbox.records.countFailed(inbox.group, true)).isZero();
            assertThat(inbox.records.findFailed(inbox.group, false, 10))
                    .extracting(ConsumeRecord::retryCount)
                    .containsExactly(0);
            runner.runOnce();
        }
        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.records.replay(inbox.group, event.eventId()))
                .as("a handled event")
                .isFalse();
        assertThat(inbox.records.replay(inbox.group, "unknown")).isFalse();
    }

    @Test
    void all_exhausted_events_of_a_group_are_replayed_at_once_and_others_are_not() {
        fail(KEEPING.withMaxRetry(0));
        assertThat(inbox.records.replayExhausted("other")).isZero();
        assertThat(inbox.records.replayExhausted(inbox.group)).isEqualTo(1);
        assertThat(inbox.records.findDue(inbox.group, InboxFixture.TYPE, 10)).hasSize(1);
    }

    @Test
    void purge_takes_what_is_old_and_done_and_leaves_what_is_young_pending_or_under_way() {
        EventEnvelope young = InboxFixture.event();
        EventEnvelope done = InboxFixture.event();
        EventEnvelope running = InboxFixture.event();
        inbox.template.consume(inbox.group, done, inbox.effect(), ConsumeOptions.inOneTransaction());
        inbox.repository.tryAcquire(inbox.wish(running, "a"));
        fail(KEEPING.withBackoff(DAY, DAY));
        EventEnvelope exhausted = InboxFixture.event();
        assertThatThrownBy(() -> inbox.template.consume(
                        inbox.group,
                        exhausted,
                        inbox.failing(new IllegalStateException("no")),
                        ConsumeOptions.inOneTransaction().withMaxRetry(0)))
                .hasMessage("no");
        Effects.execute(
                inbox.pool,
                "UPDATE event_consume_record SET " + database().moved("created_at", -30) + ", "
                        + database().moved("updated_at", -30) + ", "
                        + database().moved("processed_at", -30)
                        + " WHERE consumer_group = ?",
                inbox.group);
        inbox.template.consume(inbox.group, young, inbox.effect(), ConsumeOptions.inOneTransaction());

        try (ConsumeRecordPurgeScheduler purge = ConsumeRecordPurgeScheduler.builder()
                .records(inbox.records)
                .batchSize(1)
                .build()) {
            purge.runOnce();
        }

        assertThat(inbox.repository.find(inbox.group, done.eventId())).isEmpty();
        assertThat(inbox.repository.find(inbox.group, exhausted.eventId())).isEmpty();
        assertThat(inbox.repository.find(inbox.group, young.eventId())).isPresent();
        assertThat(inbox.repository.find(inbox.group, running.eventId())).isPresent();
        assertThat(inbox.repository.find(inbox.group, event.eventId())).isPresent();
    }
}
