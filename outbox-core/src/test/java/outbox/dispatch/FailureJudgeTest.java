package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.hot;

class FailureJudgeTest {

    private final Exception failure = new IllegalStateException("no");
    private static final String ERROR = "java.lang.IllegalStateException: no";

    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");

    @Test
    void a_failure_waits_as_long_as_the_policy_says() {
        List<Integer> asked = new ArrayList<>();
        FailureJudge judge = judge(10, attempts -> {
            asked.add(attempts);
            return 1_500;
        });

        assertThat(judge.judge(hot("a", 0), failure)).isEqualTo(retryAfter(Duration.ofMillis(1_500)));
        assertThat(judge.judge(hot("a", 4), failure)).isEqualTo(retryAfter(Duration.ofMillis(1_500)));
        assertThat(asked).containsExactly(1, 5);
    }

    @Test
    void the_last_allowed_failure_is_final() {
        FailureJudge judge = judge(3, attempts -> 0);

        assertThat(judge.judge(hot("a", 1), failure)).isInstanceOf(Outcome.Retry.class);
        assertThat(judge.judge(hot("a", 2), failure)).isEqualTo(new Outcome.Dead(ERROR));
        assertThat(judge.judge(hot("a", 3), failure)).isEqualTo(new Outcome.Dead(ERROR));
    }

    @Test
    void with_one_attempt_the_first_failure_is_final() {
        assertThat(judge(1, attempts -> 0).judge(hot("a", 0), failure)).isEqualTo(new Outcome.Dead(ERROR));
    }

    @Test
    void the_largest_number_of_attempts_does_not_overflow() {
        assertThat(judge(10, attempts -> 0).judge(hot("a", Integer.MAX_VALUE), failure))
                .isEqualTo(new Outcome.Dead(ERROR));
        assertThat(judge(Integer.MAX_VALUE, attempts -> 0).judge(hot("a", Integer.MAX_VALUE - 1), failure))
                .isEqualTo(new Outcome.Dead(ERROR));
    }

    @Test
    void an_event_without_listener_is_not_tried_again() {
        Outcome outcome = judge(10, attempts -> 0).judge(hot("a", 0), new UnroutableEventException("nobody listens"));

        assertThat(outcome).isEqualTo(new Outcome.Dead("outbox.dispatch.UnroutableEventException: nobody listens"));
    }

    @Test
    void a_negative_delay_means_now() {
        assertThat(judge(10, attempts -> -1).judge(hot("a", 0), failure)).isEqualTo(retryAfter(Duration.ZERO));
    }

    @Test
    void a_policy_that_throws_is_replaced_by_the_longest_default_delay() {
        try (CapturedLog log = new CapturedLog()) {
            for (RetryPolicy broken : List.<RetryPolicy>of(
                    attempts -> {
                        throw new ArithmeticException("policy");
                    },
                    attempts -> {
                        throw new StackOverflowError("policy");
                    })) {
                assertThat(judge(10, broken).judge(hot("a", 0), failure)).isEqualTo(retryAfter(Duration.ofMinutes(1)));
            }
            assertThat(log.at(Level.SEVERE)).hasSize(2).allMatch(line -> line.contains("RetryPolicy failed"));
        }
    }

    @Test
    void an_error_without_message_is_told_by_its_class() {
        assertThat(judge(1, attempts -> 0).judge(hot("a", 0), new StackOverflowError()))
                .isEqualTo(new Outcome.Dead("java.lang.StackOverflowError"));
    }

    @Test
    void an_event_is_used_up_when_it_has_had_all_its_attempts() {
        FailureJudge judge = judge(3, attempts -> 0);

        assertThat(judge.isUsedUp(hot("a", 2))).isFalse();
        assertThat(judge.isUsedUp(hot("a", 3))).isTrue();
        assertThat(judge.isUsedUp(hot("a", 4))).isTrue();
    }

    @Test
    void the_summary_decides_what_is_kept_of_an_error() {
        assertThat(judgeWith((event, error) -> event.eventId() + " failed").judge(hot("a", 0), failure))
                .isEqualTo(new Outcome.Dead("a failed"));
        assertThat(judgeWith(ErrorSummary.classNameOnly()).judge(hot("a", 0), failure))
                .isEqualTo(new Outcome.Dead("java.lang.IllegalStateException"));
        assertThat(judgeWith((event, error) -> "x".repeat(5_000)).judge(hot("a", 0), failure))
                .isEqualTo(new Outcome.Dead("x".repeat(3_997) + "..."));
    }

    @Test
    void a_summary_that_fails_leaves_the_class_name_and_shows_nothing() {
        try (CapturedLog log = new CapturedLog()) {
            for (ErrorSummary broken : List.<ErrorSummary>of((event, error) -> null, (event, error) -> {
                throw new IllegalStateException(event.payloadJson());
            })) {
                assertThat(judgeWith(broken).judge(hot("a", 0), failure))
                        .isEqualTo(new Outcome.Dead("java.lang.IllegalStateException"));
            }
            assertThat(log.at(Level.SEVERE))
                    .containsExactly(
                            "ErrorSummary failed for event a: java.lang.NullPointerException",
                            "ErrorSummary failed for event a: java.lang.IllegalStateException");
        }
    }

    private FailureJudge judgeWith(ErrorSummary summary) {
        return new FailureJudge(attempts -> 0, 1, summary, clock);
    }

    private FailureJudge judge(int maxAttempts, RetryPolicy policy) {
        return new FailureJudge(policy, maxAttempts, ErrorSummary.withoutContent(), clock);
    }

    private Outcome.Retry retryAfter(Duration delay) {
        return new Outcome.Retry(clock.instant().plus(delay), delay, ERROR);
    }
}
