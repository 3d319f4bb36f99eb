package outbox.internal.outcome;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntToLongFunction;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.spi.LeaseStore.Suspicion;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.event;

class VerdictsTest {

    private final Exception failure = new IllegalStateException("no");
    private static final String ERROR = "java.lang.IllegalStateException: no";

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");

    @Test
    void a_failure_waits_as_long_as_the_policy_says() {
        List<Integer> asked = new ArrayList<>();
        Verdicts verdicts = verdicts(10, attempts -> {
            asked.add(attempts);
            return 1_500;
        });

        assertThat(verdicts.onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(retryAfter(Duration.ofMillis(1_500)));
        assertThat(verdicts.onFailure(event("a"), 4, failure, () -> false))
                .isEqualTo(retryAfter(Duration.ofMillis(1_500)));
        assertThat(asked).containsExactly(1, 5);
    }

    @Test
    void the_last_allowed_failure_is_final() {
        Verdicts verdicts = verdicts(3, attempts -> 0);

        assertThat(verdicts.onFailure(event("a"), 1, failure, () -> false)).isInstanceOf(Verdict.Retry.class);
        assertThat(verdicts.onFailure(event("a"), 2, failure, () -> false)).isEqualTo(new Verdict.Dead(ERROR));
        assertThat(verdicts.onFailure(event("a"), 3, failure, () -> false)).isEqualTo(new Verdict.Dead(ERROR));
    }

    @Test
    void with_one_attempt_the_first_failure_is_final() {
        assertThat(verdicts(1, attempts -> 0).onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(new Verdict.Dead(ERROR));
    }

    @Test
    void the_largest_number_of_attempts_does_not_overflow() {
        assertThat(verdicts(10, attempts -> 0).onFailure(event("a"), Integer.MAX_VALUE, failure, () -> false))
                .isEqualTo(new Verdict.Dead(ERROR));
        assertThat(verdicts(Integer.MAX_VALUE, attempts -> 0)
                        .onFailure(event("a"), Integer.MAX_VALUE - 1, failure, () -> false))
                .isEqualTo(new Verdict.Dead(ERROR));
    }

    @Test
    void a_final_failure_is_not_tried_again() {
        Verdict outcome = verdicts(10, attempts -> 0)
                .onFailure(event("a"), 0, new IllegalArgumentException("nobody listens"), () -> false);

        assertThat(outcome).isEqualTo(new Verdict.Dead("java.lang.IllegalArgumentException: nobody listens"));
    }

    @Test
    void a_negative_delay_means_now() {
        assertThat(verdicts(10, attempts -> -1).onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(retryAfter(Duration.ZERO));
    }

    @Test
    void a_policy_that_throws_is_replaced_by_the_longest_default_delay() {
        try (CapturedLog log = new CapturedLog()) {
            for (IntToLongFunction broken : List.<IntToLongFunction>of(
                    attempts -> {
                        throw new ArithmeticException("policy");
                    },
                    attempts -> {
                        throw new StackOverflowError("policy");
                    })) {
                assertThat(verdicts(10, broken).onFailure(event("a"), 0, failure, () -> false))
                        .isEqualTo(retryAfter(Duration.ofMinutes(1)));
            }
            assertThat(log.at(Level.SEVERE)).hasSize(2).allMatch(line -> line.contains("RetryPolicy failed"));
        }
    }

    @Test
    void an_error_without_message_is_told_by_its_class() {
        assertThat(verdicts(1, attempts -> 0).onFailure(event("a"), 0, new StackOverflowError(), () -> false))
                .isEqualTo(new Verdict.Dead("java.lang.StackOverflowError"));
    }

    @Test
    void an_event_that_ends_holds_its_key_if_it_is_to() {
        assertThat(verdicts(1, failures -> 0).onFailure(event("a"), 0, failure, () -> true))
                .isEqualTo(new Verdict.Dead(ERROR, true));
    }

    @Test
    void a_suspect_that_ended_no_process_for_certain_may_be_delivered() {
        assertThat(verdicts(1, failures -> 7).onSuspicion(new Suspicion(0, false), () -> false))
                .isNull();
    }

    @Test
    void a_suspect_that_ended_its_process_waits_as_after_a_failure_and_then_may_be_delivered() {
        Verdicts verdicts = verdicts(1, failures -> failures * 1_000L);

        assertThat(verdicts.onSuspicion(new Suspicion(1, false), () -> false))
                .isEqualTo(new Verdict.Postponed(Duration.ofSeconds(1), 1));
        assertThat(verdicts.onSuspicion(new Suspicion(2, false), () -> false))
                .isEqualTo(new Verdict.Postponed(Duration.ofSeconds(2), 2));
        assertThat(verdicts.onSuspicion(new Suspicion(2, true), () -> false)).isNull();
    }

    @Test
    void a_suspect_ends_with_its_budget_of_crashes_whatever_its_attempts() {
        Verdicts verdicts = verdicts(100, failures -> 0);

        assertThat(verdicts.onSuspicion(new Suspicion(3, false), () -> true))
                .isEqualTo(new Verdict.Dead(
                        "Its process ended during each of 3 deliveries in a row that were written down;"
                                + " nothing else is known of them",
                        true));
        assertThat(verdicts.onSuspicion(new Suspicion(4, true), () -> false)).isInstanceOf(Verdict.Dead.class);
    }

    @Test
    void the_summary_decides_what_is_kept_of_an_error() {
        assertThat(deciding((event, error) -> event.eventId() + " failed")
                        .onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(new Verdict.Dead("a failed"));
        assertThat(deciding((event, error) -> error.getClass().getName())
                        .onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(new Verdict.Dead("java.lang.IllegalStateException"));
        assertThat(deciding((event, error) -> "x".repeat(5_000)).onFailure(event("a"), 0, failure, () -> false))
                .isEqualTo(new Verdict.Dead("x".repeat(3_997) + "..."));
    }

    @Test
    void a_summary_that_fails_leaves_the_class_name_and_shows_nothing() {
        try (CapturedLog log = new CapturedLog()) {
            for (BiFunction<EventEnvelope, Throwable, String> broken :
                    List.<BiFunction<EventEnvelope, Throwable, String>>of((event, error) -> null, (event, error) -> {
                        throw new IllegalStateException(event.payloadJson());
                    })) {
                assertThat(deciding(broken).onFailure(event("a"), 0, failure, () -> false))
                        .isEqualTo(new Verdict.Dead("java.lang.IllegalStateException"));
            }
            assertThat(log.at(Level.SEVERE))
                    .containsExactly(
                            "ErrorSummary failed for event a: java.lang.NullPointerException",
                            "ErrorSummary failed for event a: java.lang.IllegalStateException");
        }
    }

    @Test
    void an_event_id_with_a_line_break_begins_no_line_when_its_summary_fails() {
        try (CapturedLog log = new CapturedLog()) {
            deciding((event, error) -> null).onFailure(event("a\nSEVERE: forged"), 0, failure, () -> false);

            assertThat(log.at(Level.SEVERE))
                    .containsExactly(
                            "ErrorSummary failed for event a\\nSEVERE: forged: java.lang.NullPointerException");
        }
    }

    private Verdicts deciding(BiFunction<EventEnvelope, Throwable, String> summary) {
        return verdicts(1, failures -> 0, summary);
    }

    private Verdicts verdicts(int maxAttempts, IntToLongFunction delayMs) {
        return verdicts(maxAttempts, delayMs, (event, error) -> ErrorText.of(error, ContentMask.of(event)));
    }

    private Verdicts verdicts(
            int maxAttempts, IntToLongFunction delayMs, BiFunction<EventEnvelope, Throwable, String> summary) {
        return new Verdicts(new Verdicts.Rules(
                delayMs, 60_000, maxAttempts, 3, IllegalArgumentException.class::isInstance, summary, clock));
    }

    private Verdict.Retry retryAfter(Duration delay) {
        return new Verdict.Retry(clock.instant().plus(delay), delay, ERROR);
    }
}
