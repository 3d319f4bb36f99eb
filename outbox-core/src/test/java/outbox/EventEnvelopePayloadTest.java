package outbox;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EventEnvelopePayloadTest {

    private static final int MAX = EventEnvelope.MAX_PAYLOAD_BYTES;
    private static final String EMOJI = "\uD83D\uDE00";

    @Test
    void limit_is_one_mebibyte() {
        assertThat(MAX).isEqualTo(1_048_576);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "é", "中", EMOJI, "a\u007f\u0080\u07ff\u0800\uffff" + EMOJI})
    void limit_counts_bytes_of_utf8_not_characters(String unit) {
        int unitBytes = unit.getBytes(UTF_8).length;
        String exact = unit.repeat(MAX / unitBytes) + "x".repeat(MAX % unitBytes);

        assertThat(json(exact).payloadBytes()).hasSize(MAX);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> json(exact + "x"))
                .withMessageContaining("payload must be at most 1048576 bytes of UTF-8, was 1048577");
    }

    @Test
    void limit_holds_for_bytes() {
        assertThat(bytes("x".repeat(MAX).getBytes(UTF_8)).payloadJson()).hasSize(MAX);
        assertThatIllegalArgumentException().isThrownBy(() -> bytes(new byte[MAX + 1]));
    }

    @Test
    void text_can_be_read_as_bytes() {
        assertThat(json("{\"n\":\"é中" + EMOJI + "\"}").payloadBytes())
                .isEqualTo(("{\"n\":\"é中" + EMOJI + "\"}").getBytes(UTF_8));
    }

    @Test
    void bytes_can_be_read_as_text() {
        byte[] given = ("{\"n\":\"é中" + EMOJI + "\"}").getBytes(UTF_8);
        EventEnvelope event = bytes(given);

        assertThat(event.payloadJson()).isEqualTo("{\"n\":\"é中" + EMOJI + "\"}");
        assertThat(event.payloadBytes()).isEqualTo(given);
    }

    @Test
    void bytes_are_copied_on_the_way_in() {
        byte[] given = {'1', '2'};
        EventEnvelope.Builder builder = EventEnvelope.builder("T").payloadBytes(given);
        given[0] = '9';
        EventEnvelope event = builder.build();
        given[1] = '9';

        assertThat(event.payloadJson()).isEqualTo("12");
        assertThat(event.payloadBytes()).containsExactly('1', '2');
    }

    @Test
    void bytes_are_copied_on_the_way_out() {
        EventEnvelope fromBytes = bytes(new byte[] {'1'});
        EventEnvelope fromText = json("1");
        fromBytes.payloadBytes()[0] = '9';
        fromText.payloadBytes()[0] = '9';

        assertThat(fromBytes.payloadBytes()).containsExactly('1');
        assertThat(fromText.payloadBytes()).containsExactly('1');
    }

    @Test
    void text_is_not_copied() {
        String payload = new String(new char[] {'{', '}'});

        assertThat(json(payload).payloadJson()).isSameAs(payload);
    }

    @Test
    void one_form_is_required() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T").build())
                .withMessageContaining("payload is missing");
        assertThatIllegalArgumentException().isThrownBy(() -> EventEnvelope.ofJson("T", null));
    }

    @Test
    void both_forms_at_once_are_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventEnvelope.builder("T")
                        .payloadJson("{}")
                        .payloadBytes(new byte[] {'{', '}'})
                        .build())
                .withMessageContaining("both set");
    }

    @Test
    void an_empty_payload_is_a_payload() {
        assertThat(json("").payloadBytes()).isEmpty();
        assertThat(bytes(new byte[0]).payloadJson()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE00", "ab\uD83D", "ab\uD83Dcd", "ab\uDE00\uD83D", "\uD83D\uD83D\uDE00"})
    void half_a_surrogate_pair_is_rejected(String broken) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> json(broken))
                .withMessageContaining("unpaired surrogate at index");
    }

    @Test
    void invalid_utf8_is_rejected_without_showing_it() {
        byte[] truncated = {'s', 'e', 'c', 'r', 'e', 't', (byte) 0xC3};
        byte[] overlong = {(byte) 0xC0, (byte) 0x80};
        byte[] surrogate = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};

        for (byte[] broken : new byte[][] {truncated, overlong, surrogate}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bytes(broken))
                    .withMessageContaining("must be valid UTF-8")
                    .withMessageNotContaining("secret");
        }
    }

    private static EventEnvelope json(String payload) {
        return EventEnvelope.ofJson("T", payload);
    }

    private static EventEnvelope bytes(byte[] payload) {
        return EventEnvelope.builder("T").payloadBytes(payload).build();
    }
}
