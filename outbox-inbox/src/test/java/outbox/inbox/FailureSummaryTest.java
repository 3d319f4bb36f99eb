package outbox.inbox;

import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

import static org.assertj.core.api.Assertions.assertThat;

class FailureSummaryTest {

    private static final EventEnvelope EVENT = event("{\"card\":\"4111111111111111\",\"name\":\"Ada\"}");

    private static EventEnvelope event(String payload) {
        return EventEnvelope.builder("OrderPlaced")
                .headers(Map.of("Authorization", "Bearer s3cr3t"))
                .payloadJson(payload)
                .build();
    }

    private static String summary(String message, EventEnvelope event) {
        return FailureSummary.of(new IllegalStateException(message), event);
    }

    @Test
    void is_class_and_message() {
        assertThat(summary("no stock", EVENT)).isEqualTo("java.lang.IllegalStateException: no stock");
        assertThat(FailureSummary.of(new IllegalStateException(), EVENT)).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void leaves_out_what_stands_in_the_payload_or_in_a_header() {
        assertThat(summary("refused card 4111111111111111 today", EVENT))
                .isEqualTo("java.lang.IllegalStateException: refused card *** today");
        assertThat(summary("in 12345 it says so", event("12345")))
                .isEqualTo("java.lang.IllegalStateException: in *** it says so");
        assertThat(summary("401 for Bearer s3cr3t", EVENT)).isEqualTo("java.lang.IllegalStateException: 401 for ***");
        assertThat(summary("Ada is away {}", event("{}"))).isEqualTo("java.lang.IllegalStateException: Ada is away {}");
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
        assertThat(summary("a\0b \uD83D", EVENT)).isEqualTo("java.lang.IllegalStateException: a\\u0000b \uFFFD");
    }

    @Test
    void finds_a_quotation_whatever_characters_are_in_it() {
        String bytes = "ab\u0085cd\u0086ef\u0087gh\u0088ij";

        assertThat(summary("got " + bytes, event("{\"bytes\":\"" + bytes + "\"}")))
                .isEqualTo("java.lang.IllegalStateException: got ***");
    }
}
