package outbox.internal.text;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;

import static org.assertj.core.api.Assertions.assertThat;

class ContentMaskTest {

    private static final String PAYLOAD =
            "{\"customerName\":\"Maria Fernandez\",\"pin\":\"4711\",\"amount\":1299.95,\"note\":\"caf\\u00e9 \\\"Zum Goldenen Hirsch\\\"\","
                    + "\"open\":true,\"gone\":null,\"city\":\"Ulm\",\"maria@example.org\":1}";

    private final ContentMask mask = ContentMask.of(EventEnvelope.builder("OrderPlaced")
            .payloadJson(PAYLOAD)
            .headers(header("token", "eyJhbGciOi"))
            .build());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no customer Maria Fernandez here | no customer *** here",
                "maria fernandez | ***",
                "MARIAFERNANDEZ Maria Fer | MARIA*** ***",
                "wrong PIN 4711 | wrong PIN ***",
                "order 147115 | order 147115",
                "cannot charge 1299.95! | cannot charge ***!",
                "closed: caf\u00e9 \"Zum Goldenen Hirsch\" | closed: ***",
                "token eyJhbGciOi is stale | token *** is stale",
                "tokeneyJhbGciOiX | token***X",
                "nothing for maria@example.org | nothing for ***",
                "customerName is null, open is true | customerName is null, open is true",
                "city Ulm | city Ulm",
                "x | x"
            })
    void values_are_taken_out_and_everything_else_stays(String text, String expected) {
        assertThat(mask.apply(text)).isEqualTo(expected);
    }

    @Test
    void a_payload_that_is_quoted_as_a_whole_shows_its_shape_only() {
        assertThat(mask.apply("cannot read " + PAYLOAD))
                .isEqualTo("cannot read {\"customerName\":\"***\",\"pin\":\"***\",\"amount\":***,\"note\":\"***\","
                        + "\"open\":true,\"gone\":null,\"city\":\"Ulm\",\"***\":1}");
    }

    @Test
    void a_payload_that_is_no_json_is_masked_word_by_word() {
        ContentMask plain = ContentMask.of(new OutboxEvent(
                "e", "T", null, null, null, "top secret \"unterminated\\", "{\"h\":\"hidden\\u00", 0, Instant.EPOCH));

        assertThat(plain.apply("bad: top secret unterminated hidden")).isEqualTo("bad: top *** *** hidden");
        assertThat(plain.apply("bad: hidden\\u00")).isEqualTo("bad: ***");
    }

    @Test
    void texts_in_bytes_are_taken_out_as_well() {
        byte[] protobuf = ("\n\u0010" + "Maria Fernandez\u0012").getBytes(StandardCharsets.UTF_8);
        EventEnvelope event = EventEnvelope.builder("T")
                .payload(protobuf, "application/protobuf")
                .build();
        OutboxEvent row = new OutboxEvent("e", "T", null, null, null, "\"bytes\"", null, 0, Instant.EPOCH)
                .with(BytesPayload.of(protobuf, "application/protobuf"));

        assertThat(ContentMask.of(event).apply("unknown customer Fernandez")).isEqualTo("unknown customer ***");
        assertThat(ContentMask.of(row).apply("unknown customer Fernandez")).isEqualTo("unknown customer ***");
        assertThat(row.toString()).doesNotContain("Fernandez");
        assertThat(row.bytesPayload().toString()).isEqualTo("BytesPayload[" + protobuf.length + " bytes]");
    }

    @Test
    void a_row_without_content_masks_nothing() {
        ContentMask none = ContentMask.of(new OutboxEvent("e", "T", null, null, null, "", null, 0, Instant.EPOCH));

        assertThat(none.apply("anything goes")).isEqualTo("anything goes");
    }

    @Test
    void a_text_is_cut_where_content_could_not_be_recognised_any_more() {
        String value = "abcdefghijklmnop";
        ContentMask letters = ContentMask.of(EventEnvelope.ofJson("T", "\"" + value + "\""));

        for (int before = 15_970; before <= 16_001; before++) {
            assertThat(letters.apply("-".repeat(before) + value + "-".repeat(9_000))
                            .replace("-", ""))
                    .isIn("", "***");
        }
    }

    @Test
    void a_large_payload_is_searched_once() {
        String payload = "\"" + "0123456789".repeat(100_000) + "\"";
        ContentMask large = ContentMask.of(EventEnvelope.ofJson("T", payload));

        assertThat(large.apply("cannot read " + payload)).isEqualTo("cannot read \"***");
    }

    private static Map<String, String> header(String name, String value) {
        return Map.of(name, value);
    }
}
