package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.AcquireConsumeResult;
import outbox.inbox.AcquireConsumeState;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.MarkConsumeFailedCommand;
import outbox.inbox.MarkConsumeSuccessCommand;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The contract of a repository. */
@Tag("locale")
abstract class RepositorySuite {

    private static final Duration HOUR = Duration.ofHours(1);

    private InboxFixture inbox;
    private final EventEnvelope event = InboxFixture.event();

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    private AcquireConsumeResult acquire(String attempt) {
        return inbox.repository.tryAcquire(inbox.wish(event, attempt));
    }

    private boolean succeed(String attempt) {
        return inbox.repository.markSuccess(new MarkConsumeSuccessCommand(inbox.group, event.eventId(), attempt));
    }

    private boolean fail(String attempt, Duration retryIn) {
        return inbox.repository.markFailed(
                new MarkConsumeFailedCommand(inbox.group, event, attempt, "because", retryIn, false));
    }

    @Test
    void the_first_who_asks_gets_the_event_and_the_record_shows_the_lease() {
        assertThat(acquire("a").state()).isEqualTo(AcquireConsumeState.ACQUIRED);

        ConsumeRecord record = inbox.record(event);
        assertThat(record.status()).isEqualTo(ConsumeStatus.PROCESSING);
        assertThat(record.lockedBy()).isEqualTo("a");
        assertThat(record.tenantId()).isEqualTo("t1");
        assertThat(record.eventType()).isEqualTo(InboxFixture.TYPE);
        assertThat(Duration.between(record.createdAt(), record.lockedUntil())).isEqualTo(InboxFixture.MINUTE);
        assertThat(record.createdAt())
                .isBetween(Instant.now().minus(HOUR), Instant.now().plus(HOUR));
        assertThat(record.retryCount()).isZero();
    }

    @Test
    void nobody_else_gets_it_while_the_lease_lasts() {
        acquire("a");

        AcquireConsumeResult second = acquire("b");

        assertThat(second.state()).isEqualTo(AcquireConsumeState.IN_PROGRESS);
        assertThat(second.retryIn()).isPositive().isLessThanOrEqualTo(InboxFixture.MINUTE);
        assertThat(inbox.record(event).lockedBy()).isEqualTo("a");
    }

    @Test
    void who_marks_success_ends_it_for_all() {
        acquire("a");

        assertThat(succeed("a")).isTrue();

        assertThat(acquire("b").state()).isEqualTo(AcquireConsumeState.REPLAY_SUCCEEDED);
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(inbox.record(event).processedAt()).isNotNull();
        assertThat(succeed("a")).as("a second time").isFalse();
        assertThat(fail("a", HOUR)).as("failure after success").isFalse();
    }

    @Test
    void an_expired_lease_is_taken_over_counts_as_a_failure_and_its_owner_is_fenced_off() {
        acquire("a");
        inbox.letTimePass(event);

        AcquireConsumeResult taken = acquire("b");

        assertThat(taken.state()).isEqualTo(AcquireConsumeState.ACQUIRED);
        assertThat(taken.retryCount()).isEqualTo(1);
        assertThat(succeed("a")).isFalse();
        assertThat(fail("a", HOUR)).isFalse();
        assertThat(acquire("c").state()).isEqualTo(AcquireConsumeState.IN_PROGRESS);
        assertThat(succeed("b")).isTrue();
        assertThat(inbox.record(event).retryCount()).isEqualTo(1);
    }

    @Test
    void an_owner_whose_expired_lease_nobody_has_taken_may_still_end_its_work() {
        acquire("a");
        inbox.letTimePass(event);

        assertThat(succeed("a")).isTrue();
    }

    @Test
    void a_failed_event_is_to_be_had_again_when_its_retry_is_due_and_not_before() {
        acquire("a");
        assertThat(fail("a", HOUR)).isTrue();

        AcquireConsumeResult early = acquire("b");
        assertThat(early.state()).isEqualTo(AcquireConsumeState.IN_PROGRESS);
        assertThat(early.retryIn()).isBetween(Duration.ofMinutes(59), HOUR);
        assertThat(inbox.record(event).errorMsg()).isEqualTo("because");

        inbox.letTimePass(event);
        AcquireConsumeResult due = acquire("c");
        assertThat(due.state()).isEqualTo(AcquireConsumeState.RETRYABLE_FAILED);
        assertThat(due.retryCount()).isEqualTo(1);
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.PROCESSING);
        assertThat(succeed("c")).isTrue();
        assertThat(inbox.record(event).errorMsg()).isNull();
    }

    @Test
    void an_event_without_retries_left_is_to_be_had_at_once_by_whoever_delivers_it_again() {
        acquire("a");
        fail("a", null);

        assertThat(inbox.record(event).exhausted()).isTrue();
        assertThat(acquire("b").state()).isEqualTo(AcquireConsumeState.RETRYABLE_FAILED);
    }

    @Test
    void the_same_id_with_another_type_is_a_conflict_whatever_the_state() {
        EventEnvelope other = EventEnvelope.builder("OrderPlacedX")
                .eventId(event.eventId())
                .payloadJson("{}")
                .build();
        acquire("a");
        assertThat(inbox.repository.tryAcquire(inbox.wish(other, "b")).state()).isEqualTo(AcquireConsumeState.CONFLICT);
        succeed("a");
        assertThat(inbox.repository.tryAcquire(inbox.wish(other, "b")).state()).isEqualTo(AcquireConsumeState.CONFLICT);
        assertThat(inbox.record(event).eventType()).isEqualTo(InboxFixture.TYPE);
    }

    @Test
    void groups_do_not_disturb_each_other() {
        acquire("a");
        AcquireConsumeCommand elsewhere = AcquireConsumeCommand.of("o" + inbox.group, event, "b", HOUR);

        assertThat(inbox.repository.tryAcquire(elsewhere).state()).isEqualTo(AcquireConsumeState.ACQUIRED);
    }

    @Test
    void of_many_who_ask_at_once_one_gets_it() throws Exception {
        int askers = 10;
        CyclicBarrier start = new CyclicBarrier(askers);
        ExecutorService threads = Executors.newFixedThreadPool(askers);
        try {
            List<Callable<AcquireConsumeState>> asks = new ArrayList<>();
            for (int i = 0; i < askers; i++) {
                String attempt = "a" + i;
                asks.add(() -> {
                    start.await();
                    return acquire(attempt).state();
                });
            }
            List<AcquireConsumeState> answers = new ArrayList<>();
            for (Future<AcquireConsumeState> answer : threads.invokeAll(asks)) {
                answers.add(answer.get());
            }
            assertThat(answers).containsOnlyOnce(AcquireConsumeState.ACQUIRED);
            assertThat(answers)
                    .filteredOn(AcquireConsumeState.IN_PROGRESS::equals)
                    .hasSize(askers - 1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void what_is_acquired_in_a_transaction_goes_with_it_and_a_duplicate_does_not_abort_it() throws Exception {
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            assertThat(inbox.repository.tryRecordSuccess(inbox.wish(event, "a")).state())
                    .isEqualTo(AcquireConsumeState.ACQUIRED);
            tx.rollback();
        }
        assertThat(inbox.repository.find(inbox.group, event.eventId())).isEmpty();
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            inbox.repository.tryRecordSuccess(inbox.wish(event, "a"));
            tx.commit();
        }
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            assertThat(inbox.repository.tryRecordSuccess(inbox.wish(event, "b")).state())
                    .isEqualTo(AcquireConsumeState.REPLAY_SUCCEEDED);
            assertThat(acquire("b").state()).isEqualTo(AcquireConsumeState.REPLAY_SUCCEEDED);
            Effects.add(tx.connection(), inbox.group, event);
            tx.commit();
        }
        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.record(event).lockedBy()).isEqualTo("a");
    }

    @Test
    void a_failed_record_is_taken_in_a_transaction_when_due_and_is_as_before_after_its_rollback() throws Exception {
        fail(null, Duration.ZERO);
        fail(null, HOUR);
        assertThat(inbox.record(event).retryCount()).isEqualTo(2);
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            assertThat(inbox.repository.tryRecordSuccess(inbox.wish(event, "b")).state())
                    .isEqualTo(AcquireConsumeState.IN_PROGRESS);
            tx.rollback();
        }
        inbox.letTimePass(event);
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            AcquireConsumeResult taken = inbox.repository.tryRecordSuccess(inbox.wish(event, "b"));
            assertThat(taken.state()).isEqualTo(AcquireConsumeState.RETRYABLE_FAILED);
            assertThat(taken.retryCount()).isEqualTo(2);
            tx.rollback();
        }
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.FAILED);
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            inbox.repository.tryRecordSuccess(inbox.wish(event, "b"));
            tx.commit();
        }
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(inbox.record(event).nextRetryAt()).isNull();
        assertThat(fail(null, HOUR)).as("failure after success").isFalse();
    }

    @Test
    void sessions_in_different_time_zones_agree_on_leases_and_due_times() throws Exception {
        assumeTrue(database().hasTimeZones(), "sessions have no time zones");
        try (HikariDataSource far = database().address().pool(1)) {
            Effects.execute(far, database().setTimeZone("-09:30"));
            InboxFixture other = new InboxFixture(far);
            AcquireConsumeCommand wish = inbox.wish(event, "far");
            assertThat(other.repository.tryAcquire(wish).acquired()).isTrue();
            assertThat(acquire("near").retryIn()).isPositive().isLessThanOrEqualTo(InboxFixture.MINUTE);
            fail("far", HOUR);
            assertThat(other.repository.tryAcquire(wish).retryIn()).isBetween(Duration.ofMinutes(59), HOUR);
            assertThat(inbox.record(event))
                    .isEqualTo(
                            other.repository.find(inbox.group, event.eventId()).orElseThrow());
        }
    }

    @Test
    void what_does_not_fit_its_column_is_refused_before_the_database_is_asked() {
        EventEnvelope wide = EventEnvelope.builder("T")
                .eventId("x".repeat(65))
                .payloadJson("{}")
                .build();

        assertThatThrownBy(() -> inbox.repository.tryAcquire(inbox.wish(wide, "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "eventId must be at most 64 characters to fit table event_consume_record, was 65");
    }

    private AcquireConsumeState acquire(String group, String id) {
        EventEnvelope of = EventEnvelope.builder(InboxFixture.TYPE)
                .eventId(id)
                .payloadJson("{}")
                .build();
        return inbox.repository
                .tryAcquire(AcquireConsumeCommand.of(group, of, "a", HOUR))
                .state();
    }

    @Test
    void ids_and_groups_that_differ_in_case_accents_or_spaces_are_kept_apart_or_refused() {
        for (String id : List.of("cafe", "caf\u00E9", "Cafe")) {
            assertThat(acquire(inbox.group, id)).as(id).isEqualTo(AcquireConsumeState.ACQUIRED);
            assertThat(acquire(inbox.group + id, "cafe")).as(id).isEqualTo(AcquireConsumeState.ACQUIRED);
        }
        if (!database().ignoresSpacesBehind()) {
            assertThat(acquire(inbox.group, "cafe ")).isEqualTo(AcquireConsumeState.ACQUIRED);
            assertThat(acquire(inbox.group + " ", "cafe")).isEqualTo(AcquireConsumeState.ACQUIRED);
            return;
        }
        assertThatThrownBy(() -> acquire(inbox.group, "cafe "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("eventId must not end in a space: table event_consume_record");
        assertThatThrownBy(() -> acquire(inbox.group + " ", "cafe"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("consumerGroup must not end in a space");
    }

    @Test
    void a_table_that_takes_one_group_or_event_for_another_is_refused_before_it_swallows_anything() throws Exception {
        TableName table = TableName.of("careless_inbox");
        Effects.execute(inbox.pool, "DROP TABLE IF EXISTS careless_inbox");
        try (Connection conn = inbox.pool.getConnection()) {
            InboxSchema.create(conn, database().dialect(), table);
        }
        JdbcInbox careless = JdbcInbox.on(inbox.pool, inbox.context, table);
        careless.repository();
        for (String column : List.of("consumer_group", "event_id")) {
            for (String sql : ignoreCase(column)) {
                Effects.execute(inbox.pool, sql);
            }
        }
        for (Runnable use : List.<Runnable>of(careless::repository, careless::checkSchema)) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("Table \"careless_inbox\"")
                    .hasMessageContaining(
                            "column \"consumer_group\" takes texts for the same that differ in upper and lower case")
                    .hasMessageContaining("column \"event_id\" takes texts for the same");
        }
        Effects.execute(inbox.pool, "DROP TABLE careless_inbox");
    }

    private List<String> ignoreCase(String column) {
        String alter = "ALTER TABLE careless_inbox ";
        return switch (database().dialect()) {
            case "h2" -> List.of(alter + "ALTER COLUMN " + column + " SET DATA TYPE VARCHAR_IGNORECASE(64)");
            case "postgresql" ->
                List.of(
                        "CREATE COLLATION IF NOT EXISTS no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                        alter + "ALTER COLUMN " + column + " TYPE VARCHAR(64) COLLATE no_case");
            case "sqlite" -> {
                String script = InboxSchema.script("sqlite", TableName.of("careless_inbox"));
                String both = script.substring(0, script.indexOf(");") + 1)
                        .replaceAll("(consumer_group|event_id) +TEXT NOT NULL", "$0 COLLATE NOCASE");
                yield List.of("DROP TABLE careless_inbox", both);
            }
            default ->
                List.of(alter + "MODIFY " + column
                        + " VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL");
        };
    }

    @Test
    void the_table_may_have_another_name_and_a_missing_one_is_named_with_its_script() throws Exception {
        TableName table = TableName.of("shop_inbox");
        JdbcInbox shop = JdbcInbox.on(inbox.pool, inbox.context, table);
        assertThatThrownBy(shop::checkSchema)
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageContaining("Table \"shop_inbox\" is missing")
                .hasMessageContaining("apply inbox-schema/" + database().dialect() + ".sql");
        try (Connection conn = inbox.pool.getConnection()) {
            InboxSchema.create(conn, database().dialect(), table);
            InboxSchema.create(conn, database().dialect(), table);
        }
        shop.checkSchema();
        assertThat(shop.repository().tryAcquire(inbox.wish(event, "a")).state())
                .isEqualTo(AcquireConsumeState.ACQUIRED);
        assertThat(inbox.repository.find(inbox.group, event.eventId())).isEmpty();
        Effects.execute(inbox.pool, "DROP TABLE shop_inbox");
    }
}
