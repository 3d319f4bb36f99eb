package outbox.inbox;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FailureSummaryTest {

    private static final String PAYLOAD = "{\"card\":\"4111111111111111\",\"name\":\"Ada\"}";

    @Test
    void is_class_and_message() {
        assertThat(FailureSummary.of(new IllegalStateException("no stock"), PAYLOAD))
                .isEqualTo("java.lang.IllegalStateException: no stock");
        assertThat(FailureSummary.of(new IllegalStateException(), PAYLOAD))
                .isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void leaves_out_a_message_that_quotes_the_payload_wholly_or_in_part() {
        String withoutMessage = "java.lang.IllegalStateException (its message quotes the payload)";
        assertThat(FailureSummary.of(new IllegalStateException("bad: " + PAYLOAD), PAYLOAD))
                .isEqualTo(withoutMessage);
        assertThat(FailureSummary.of(new IllegalStateException("refused card 4111111111111111 today"), PAYLOAD))
                .isEqualTo(withoutMessage);
        assertThat(FailureSummary.of(new IllegalStateException("in 12345 it says so"), "12345"))
                .isEqualTo(withoutMessage);
        assertThat(FailureSummary.of(new IllegalStateException("Ada is away {}"), "{}"))
                .isEqualTo("java.lang.IllegalStateException: Ada is away {}");
    }

    @Test
    void has_at_most_256_characters_and_splits_no_pair() {
        String cut = FailureSummary.limit("x".repeat(252) + "🙂🙂🙂");
        assertThat(cut).hasSizeLessThanOrEqualTo(256).endsWith("x...");
        assertThat(FailureSummary.limit("x".repeat(256))).hasSize(256).doesNotContain("...");
        assertThat(FailureSummary.limit("x".repeat(257))).hasSize(256).endsWith("...");
    }

    @Test
    void contains_nothing_that_a_database_refuses() {
        assertThat(FailureSummary.of(new IllegalStateException("a\0b \uD83D"), PAYLOAD))
                .isEqualTo("java.lang.IllegalStateException: a\\u0000b \uFFFD");
    }

    @Test
    void finds_a_quotation_whatever_characters_are_in_it() {
        String payload = "{\"bytes\":\"ab\u0085cd\u0086ef\u0087gh\u0088ij\"}";

        assertThat(FailureSummary.of(new IllegalStateException("got ab\u0085cd\u0086ef\u0087gh\u0088ij"), payload))
                .isEqualTo("java.lang.IllegalStateException (its message quotes the payload)");
    }
}
