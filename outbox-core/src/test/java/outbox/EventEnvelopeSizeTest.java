package outbox;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EventEnvelopeSizeTest {

    private static final long EMPTY = EventEnvelope.ofJson("T", "").sizeInMemory();

    private static long sizeOf(String payload) {
        return EventEnvelope.ofJson("T", payload).sizeInMemory() - EMPTY;
    }

    @Test
    void ascii_takes_a_byte_for_each_character_and_other_text_may_take_two() {
        assertThat(sizeOf("x".repeat(1_000))).isEqualTo(1_000);
        assertThat(sizeOf("漢".repeat(1_000))).isEqualTo(2_000);
        assertThat(sizeOf("x".repeat(999) + "é")).isEqualTo(2_000);
    }

    @Test
    void a_payload_that_was_given_as_bytes_takes_them_as_well_and_asking_for_them_changes_nothing() {
        EventEnvelope event = EventEnvelope.builder("T")
                .payloadBytes("x".repeat(1_000).getBytes(StandardCharsets.UTF_8))
                .build();
        assertThat(event.sizeInMemory() - EMPTY).isEqualTo(2_000);

        EventEnvelope text = EventEnvelope.ofJson("T", "x".repeat(1_000));
        long before = text.sizeInMemory();
        assertThat(text.payloadBytes()).hasSize(1_000);
        assertThat(text.sizeInMemory()).isEqualTo(before);
    }

    @Test
    void headers_count() {
        Map<String, String> headers = new HashMap<>();
        headers.put("k".repeat(10), "v".repeat(90));
        headers.put("none", null);
        EventEnvelope event =
                EventEnvelope.builder("T").payloadJson("").headers(headers).build();

        assertThat(event.sizeInMemory() - EMPTY).isGreaterThanOrEqualTo(200);
    }
}
