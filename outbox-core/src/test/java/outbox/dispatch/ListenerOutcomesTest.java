package outbox.dispatch;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.Delivery;
import outbox.FailureClassifier;
import outbox.Listener;
import outbox.Outcome;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.model.EventStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static outbox.testsupport.Events.hot;

/** What a listener says, or throws, is what becomes of its event. */
class ListenerOutcomesTest extends DispatchWorkerFixture {

    private String deliver(Outcome outcome) {
        run(Listener.of((event, delivery) -> outcome), hot("a"));
        return store.calls().toString();
    }

    @Test
    void done_is_done() {
        deliver(Outcome.done());

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void retry_waits_as_long_as_the_policy_says_and_counts() {
        retryPolicy = attempts -> 7_000;
        deliver(Outcome.retry("not yet"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.error("a")).isEqualTo("outbox.DeliveryFailedException: not yet");
        assertThat(store.attempts("a")).isEqualTo(1);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plusSeconds(7));
    }

    @Test
    void retry_after_waits_as_long_as_the_listener_says_and_counts() {
        maxAttempts = 2;
        Listener listener = Listener.of((event, delivery) -> Outcome.retryAfter(Duration.ofHours(1), "quota"));
        run(listener, hot("a"));

        assertThat(store.attempts("a")).isEqualTo(1);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    }

    @Test
    void an_event_that_is_put_off_without_counting_never_uses_up_its_attempts() {
        maxAttempts = 1;
        deliver(Outcome.later(Duration.ofMinutes(5), "closed at night"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("a")).isZero();
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(Duration.ofMinutes(5)));
    }

    @Test
    void dead_is_dead_at_once_with_the_reason() {
        deliver(Outcome.dead("customer unknown"));

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("a")).isEqualTo("outbox.PermanentFailureException: customer unknown");
    }

    @Test
    void what_is_thrown_means_the_same_also_deep_in_causes() {
        maxAttempts = 1;
        run(
                Listener.of(event -> {
                    throw new IllegalStateException(
                            "wrapped", new RetryAfterException(Duration.ofSeconds(3), false, "slow down", null));
                }),
                hot("a"));
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plusSeconds(3));
    }

    @Test
    void a_permanent_failure_is_dead_at_the_first_attempt() {
        run(
                Listener.of(event -> {
                    throw new Exception(new PermanentFailureException("never"));
                }),
                hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void causes_that_go_round_in_a_circle_end() {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        run(
                Listener.of(event -> {
                    throw first;
                }),
                hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("a")).isEqualTo(1);
    }

    @Test
    void a_classifier_of_the_listener_says_what_others_mean() {
        maxAttempts = 1;
        FailureClassifier classifier =
                FailureClassifier.none().away(ConnectException.class).permanent(IllegalArgumentException.class);
        run(
                Listener.of(event -> {
                            throw new RuntimeException(new ConnectException("refused"));
                        })
                        .classifier(classifier),
                hot("a"));

        assertThat(store.status("a")).as("an outage uses up nothing").isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("a")).isZero();
    }

    @Test
    void a_classifier_that_throws_knows_nothing() {
        run(
                Listener.of(event -> {
                            throw new Exception("x");
                        })
                        .classifier(failure -> {
                            throw new IllegalStateException("classifier is broken");
                        }),
                hot("a"));

        assertThat(store.attempts("a")).isEqualTo(1);
    }

    @Test
    void a_listener_that_returns_nothing_has_failed() {
        run(Listener.of((event, delivery) -> null), hot("a"));

        assertThat(store.error("a")).contains("returned no outcome");
    }

    @Test
    void a_listener_has_a_policy_and_attempts_of_its_own() {
        maxAttempts = 1;
        Listener listener = Listener.of(event -> {
                    throw new Exception("x");
                })
                .maxAttempts(2)
                .retryPolicy(attempts -> 42_000);
        run(listener, hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plusSeconds(42));
    }

    @Test
    void an_event_that_is_too_old_is_not_delivered_and_says_so() {
        clock.advance(Duration.ofDays(400_000)); // events of this fixture are as old as the test
        run(
                Listener.of(event -> {
                            throw new AssertionError("delivered");
                        })
                        .expiresAfter(Duration.ofHours(1)),
                hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("a")).isEqualTo("(too old) It was older than PT1H when it was to be delivered");
        assertThat(metrics.expired).hasValue(1);
        assertThat(metrics.dead).hasValue(0);
    }

    @Test
    void a_delivery_knows_its_attempt_its_time_and_its_owner() {
        run(
                Listener.of((event, delivery) -> {
                    delivered.add(describe(delivery));
                    return Outcome.done();
                }),
                hot("a"));

        assertThat(delivered).containsExactly("a 1 2026-01-01T00:00:00Z outbox_event null true empty");
    }

    private static String describe(Delivery delivery) {
        return String.join(
                " ",
                List.of(
                        delivery.eventId(),
                        String.valueOf(delivery.attempt()),
                        delivery.startedAt().toString(),
                        delivery.table().isEmpty() ? "outbox_event" : delivery.table(),
                        String.valueOf(delivery.tenantId()),
                        String.valueOf(delivery.isStillOwner()),
                        delivery.deadline().isEmpty() ? "empty" : "deadline"));
    }

    @Test
    void nonsense_is_refused_at_once() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outcome.retryAfter(Duration.ofSeconds(-1), "x"))
                .withMessage("delay must be between zero and 366 days, was PT-1S");
        assertThatIllegalArgumentException().isThrownBy(() -> new RetryAfterException(Duration.ofDays(1_000), "x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Listener.of(event -> {}).timeout(Duration.ZERO))
                .withMessage("timeout must be longer than zero, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Listener.of(event -> {}).concurrency(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Listener.of(event -> {}).named(" "));
    }
}
