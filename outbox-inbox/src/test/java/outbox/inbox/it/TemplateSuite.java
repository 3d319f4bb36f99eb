package outbox.inbox.it;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeLeaseLostException;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.EventConsumeConflictException;
import outbox.inbox.EventConsumeFailedException;
import outbox.inbox.EventHandler;
import outbox.jdbc.tx.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The template on a real database, in both ways of acquiring. */
@Timeout(300)
abstract class TemplateSuite {

    private static final int PATIENCE_SECONDS = 120;

    private InboxFixture inbox;
    private final EventEnvelope event = InboxFixture.event();
    private final ExecutorService other = Executors.newCachedThreadPool();

    abstract TestedDatabase database();

    private void needsTwoWriters(String toShow) {
        assumeTrue(database().writesConcurrently(), () -> "One transaction writes at a time: not shown that " + toShow);
    }

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    @AfterEach
    void close() {
        other.shutdownNow();
    }

    private static ConsumeOptions options(Acquisition acquisition) {
        return ConsumeOptions.defaults().withAcquisition(acquisition);
    }

    private ConsumeResult consume(EventHandler handler, ConsumeOptions options) {
        return inbox.template.consume(inbox.group, event, handler, options);
    }

    @ParameterizedTest
    @EnumSource
    void an_event_is_handled_once_however_often_it_arrives(Acquisition acquisition) {
        assertThat(consume(inbox.effect(), options(acquisition)).handled()).isTrue();
        for (int copies = 0; copies < 3; copies++) {
            assertThat(consume(inbox.effect(), options(acquisition)).replayed()).isTrue();
        }
        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(inbox.metrics.count("acquired")).isEqualTo(1);
        assertThat(inbox.metrics.count("latency")).isEqualTo(1);
        assertThat(inbox.metrics.count("replayed")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void each_group_handles_it_once(Acquisition acquisition) {
        consume(inbox.effect(), options(acquisition));
        String second = "2" + inbox.group;

        assertThat(inbox.template
                        .consume(second, event, inbox.effect(second), options(acquisition))
                        .handled())
                .isTrue();
        assertThat(Effects.count(inbox.pool, second)).isEqualTo(1);
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void a_failure_rolls_the_work_back_is_recorded_thrown_and_retried_when_due(Acquisition acquisition) {
        IllegalStateException failure = new IllegalStateException("no stock");

        assertThatThrownBy(() -> consume(inbox.failing(failure), options(acquisition)))
                .isSameAs(failure);

        assertThat(inbox.effects()).isZero();
        ConsumeRecord record = inbox.record(event);
        assertThat(record.status()).isEqualTo(ConsumeStatus.FAILED);
        assertThat(record.retryCount()).isEqualTo(1);
        assertThat(record.errorMsg()).isEqualTo("java.lang.IllegalStateException: no stock");
        assertThat(Duration.between(record.updatedAt(), record.nextRetryAt())).isEqualTo(Duration.ofSeconds(1));

        EventHandler unwanted = any -> {
            throw new AssertionError("called before its time");
        };
        holdBack();
        ConsumeResult early = consume(unwanted, options(acquisition));
        assertThat(early.inProgress()).isTrue();
        assertThat(early.retryIn()).isPositive();

        inbox.letTimePass(event);
        assertThat(consume(inbox.effect(), options(acquisition)).handled()).isTrue();
        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.record(event).retryCount()).isEqualTo(1);
    }

    /** A machine may be so slow that a second passes unnoticed. */
    private void holdBack() {
        Effects.execute(
                inbox.pool,
                "UPDATE event_consume_record SET " + database().moved("next_retry_at", 1) + " WHERE consumer_group = ?",
                inbox.group);
    }

    @ParameterizedTest
    @EnumSource
    void pauses_double_up_to_the_longest_and_after_the_last_retry_the_event_is_exhausted(Acquisition acquisition) {
        ConsumeOptions options =
                options(acquisition).withMaxRetry(3).withBackoff(Duration.ofSeconds(40), Duration.ofSeconds(100));
        for (long seconds : new long[] {40, 80, 100}) {
            failOnce(options);
            ConsumeRecord record = inbox.record(event);
            assertThat(Duration.between(record.updatedAt(), record.nextRetryAt()))
                    .isEqualTo(Duration.ofSeconds(seconds));
            inbox.letTimePass(event);
        }
        failOnce(options);

        ConsumeRecord record = inbox.record(event);
        assertThat(record.exhausted()).isTrue();
        assertThat(record.retryCount()).isEqualTo(4);
        assertThat(record.errorMsg()).startsWith("exceeded maxRetry 3: java.lang.IllegalStateException: no");
        assertThat(inbox.metrics.count("failed")).isEqualTo(3);
        assertThat(inbox.metrics.count("exhausted")).isEqualTo(1);
        assertThat(inbox.records.findFailed(inbox.group, true, 10))
                .extracting(ConsumeRecord::eventId)
                .containsExactly(event.eventId());

        assertThat(consume(inbox.effect(), options).handled())
                .as("delivered again, it is not swallowed")
                .isTrue();
        assertThat(inbox.effects()).isEqualTo(1);
    }

    private void failOnce(ConsumeOptions options) {
        assertThatThrownBy(() -> consume(inbox.failing(new IllegalStateException("no")), options))
                .hasMessage("no");
    }

    @ParameterizedTest
    @EnumSource
    void errors_and_checked_exceptions_are_failures_too(Acquisition acquisition) {
        StackOverflowError error = new StackOverflowError("deep");
        assertThatThrownBy(() -> consume(inbox.failing(error), options(acquisition)))
                .isSameAs(error);
        inbox.letTimePass(event);
        IOException checked = new IOException("away");
        assertThatThrownBy(() -> consume(inbox.failing(checked), options(acquisition)))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasCause(checked);
        assertThat(inbox.record(event).retryCount()).isEqualTo(2);
        assertThat(inbox.effects()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void nothing_of_the_payload_is_recorded(Acquisition acquisition) {
        String quote = "cannot parse " + event.payloadJson() + " at 7";
        assertThatThrownBy(() -> consume(inbox.failing(new IllegalStateException(quote)), options(acquisition)))
                .hasMessage(quote);
        assertThat(inbox.record(event).errorMsg())
                .isEqualTo("java.lang.IllegalStateException: cannot parse {\"secret\":\"***\"} at 7");
    }

    @ParameterizedTest
    @EnumSource
    void an_id_that_belongs_to_another_type_is_a_conflict_that_names_both(Acquisition acquisition) {
        consume(inbox.effect(), options(acquisition));
        EventEnvelope imposter = EventEnvelope.builder("OrderPaid")
                .eventId(event.eventId())
                .payloadJson("{}")
                .build();

        assertThatThrownBy(() -> inbox.template.consume(inbox.group, imposter, inbox.effect(), options(acquisition)))
                .isInstanceOf(EventConsumeConflictException.class)
                .hasMessageContaining(event.eventId() + " (__GLOBAL__/OrderPaid, table event_consume_record) in group "
                        + inbox.group);
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void an_owner_that_lost_its_lease_is_refused_and_its_work_is_rolled_back() {
        needsTwoWriters("an owner that lost its lease is refused");
        EventHandler slow = taken -> {
            inbox.effect().handle(taken);
            inbox.letTimePass(taken);
            assertThat(onAnotherThread(inbox.effect(), ConsumeOptions.defaults())
                            .handled())
                    .isTrue();
        };

        assertThatThrownBy(() -> consume(slow, ConsumeOptions.defaults()))
                .isInstanceOf(ConsumeLeaseLostException.class)
                .hasMessageContaining(event.eventId())
                .hasMessageContaining("lockTtl is PT30S");

        assertThat(inbox.effects()).isEqualTo(1);
        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(inbox.metrics.count("leaseLost")).isEqualTo(1);
        assertThat(inbox.metrics.count("failed")).isZero();
    }

    @Test
    void a_late_failure_does_not_disturb_who_has_taken_the_event_over() {
        needsTwoWriters("a late failure disturbs nobody");
        EventHandler slow = taken -> {
            inbox.letTimePass(taken);
            onAnotherThread(inbox.effect(), ConsumeOptions.defaults());
            throw new IllegalStateException("late");
        };

        assertThatThrownBy(() -> consume(slow, ConsumeOptions.defaults())).hasMessage("late");

        assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
        assertThat(inbox.record(event).errorMsg()).isNull();
    }

    @Test
    void an_event_whose_leases_expire_again_and_again_is_not_handed_out_for_ever() {
        ConsumeOptions options = ConsumeOptions.defaults().withMaxRetry(1);
        for (int deaths = 0; deaths < 2; deaths++) {
            inbox.repository.tryAcquire(inbox.wish(event, "dead" + deaths));
            inbox.letTimePass(event);
        }

        assertThatThrownBy(() -> consume(inbox.effect(), options))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasMessageContaining("was not called: its lease has expired and no retry is left");
        assertThat(inbox.effects()).isZero();
        assertThat(inbox.record(event).exhausted()).isTrue();
        assertThat(inbox.record(event).errorMsg()).isEqualTo("exceeded maxRetry 1: lease expired");
    }

    @Test
    void a_copy_that_arrives_while_another_is_handled_is_told_so_and_may_wait_for_the_outcome() throws Exception {
        needsTwoWriters("a copy that arrives while another is handled is told when to come again");
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<ConsumeResult> first = other.submit(() -> consume(
                taken -> {
                    inbox.effect().handle(taken);
                    inHandler.countDown();
                    goOn.await();
                },
                ConsumeOptions.defaults()));
        assertThat(inHandler.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

        ConsumeResult told = consume(inbox.effect(), ConsumeOptions.defaults());
        assertThat(told.inProgress()).isTrue();
        assertThat(told.retryIn()).isBetween(Duration.ZERO, Duration.ofSeconds(30));
        assertThat(consume(inbox.effect(), ConsumeOptions.defaults().waitingUpTo(Duration.ofMillis(30)))
                        .inProgress())
                .isTrue();
        Future<ConsumeResult> waiting = other.submit(
                () -> consume(inbox.effect(), ConsumeOptions.defaults().waitingUpTo(Duration.ofMinutes(2))));
        inbox.metrics.await("inProgress", 3);
        goOn.countDown();

        assertThat(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS).handled()).isTrue();
        assertThat(waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS).replayed()).isTrue();
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void who_waits_for_somebody_who_fails_is_told_why() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<ConsumeResult> first = other.submit(() -> consume(
                taken -> {
                    inHandler.countDown();
                    goOn.await();
                    throw new IllegalStateException("no stock");
                },
                ConsumeOptions.defaults().withBackoff(Duration.ofHours(1), Duration.ofHours(1))));
        assertThat(inHandler.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Future<ConsumeResult> waiting = other.submit(
                () -> consume(inbox.effect(), ConsumeOptions.defaults().waitingUpTo(Duration.ofMinutes(2))));
        goOn.countDown();

        assertThatThrownBy(() -> first.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).hasRootCauseMessage("no stock");
        assertThatThrownBy(() -> waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(EventConsumeFailedException.class)
                .hasMessageContaining("java.lang.IllegalStateException: no stock");
    }

    @Test
    void copies_that_meet_in_one_transaction_each_have_one_effect() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<ConsumeResult> first = other.submit(() -> consume(
                taken -> {
                    inbox.effect().handle(taken);
                    inHandler.countDown();
                    goOn.await();
                },
                ConsumeOptions.inOneTransaction()));
        assertThat(inHandler.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Future<ConsumeResult> second = other.submit(() -> consume(inbox.effect(), ConsumeOptions.inOneTransaction()));
        if (database() == TestedDatabase.POSTGRESQL) {
            assertThat(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS).inProgress())
                    .as("it does not wait")
                    .isTrue();
        }
        goOn.countDown();

        assertThat(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS).handled()).isTrue();
        assertThat(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS).handled()).isFalse();
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void inside_a_transaction_of_the_caller_nothing_is_consumed() throws Exception {
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            assertThatThrownBy(() -> consume(inbox.effect(), ConsumeOptions.defaults()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("consume events outside of one");
            tx.rollback();
        }
        assertThat(inbox.effects()).isZero();
    }

    private ConsumeResult onAnotherThread(EventHandler handler, ConsumeOptions options) throws Exception {
        return other.submit(() -> consume(handler, options)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
