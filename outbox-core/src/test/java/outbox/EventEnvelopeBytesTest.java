package outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.spi.PayloadTransformer;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubTransaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Payloads that are not text. */
class EventEnvelopeBytesTest {

    private static final byte[] BYTES = {0, -1, (byte) 0xC3, 0x28};

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("OrderPlaced");
    }

    @Test
    void bytes_come_back_as_copies_with_their_content_type() {
        byte[] given = BYTES.clone();
        EventEnvelope event = EventEnvelope.ofBytes("OrderPlaced", given, "application/avro");
        given[0] = 9;
        event.payloadBytes()[1] = 9;

        assertThat(event.payloadBytes()).isEqualTo(BYTES);
        assertThat(event.contentType()).isEqualTo("application/avro");
        assertThat(event.isBinary()).isTrue();
        assertThat(EventEnvelope.ofBytes(StringEventType.of("T"), BYTES, "a/b").eventType())
                .isEqualTo("T");
    }

    @Test
    void bytes_are_never_given_out_as_text() {
        EventEnvelope event =
                event().eventId("e\n1").payload(BYTES, "application/avro").build();

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(event::payloadJson)
                .withMessage("The payload of event e\\n1 is application/avro, not JSON; read payloadBytes()");
        assertThat(event.toString()).doesNotContain("avro");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "Application/JSON"})
    void json_stays_text_however_it_is_given(String contentType) {
        EventEnvelope event =
                event().payload("{\"n\":1}".getBytes(UTF_8), contentType).build();

        assertThat(event.isBinary()).isFalse();
        assertThat(event.payloadJson()).isEqualTo("{\"n\":1}");
        assertThat(event.contentType()).isEqualTo("application/json");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event().payload(BYTES, contentType).build())
                .withMessageContaining("payload(bytes, contentType)");
        assertThat(EventEnvelope.ofJson("T", "{}").contentType()).isEqualTo(EventEnvelope.JSON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "avro", "/", "a/", "/b", "a/b\n", "a b/c", "a/\u00e9"})
    void a_content_type_is_a_media_type(String contentType) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event().payload(BYTES, contentType))
                .withMessageStartingWith("contentType must be a media type of at most 255 characters of ASCII,"
                        + " such as application/avro, was \"")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
    }

    @Test
    void a_content_type_may_have_parameters_and_is_not_endless() {
        String longest = "a".repeat(127) + "/" + "b".repeat(127);
        assertThat(event().payload(BYTES, longest).build().contentType()).isEqualTo(longest);
        assertThat(event().payload(BYTES, "a/b; messageType=\"x y\"").build().contentType())
                .isEqualTo("a/b; messageType=\"x y\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event().payload(BYTES, longest + "bbb"))
                .withMessageContaining("was 258 characters");
    }

    @Test
    void one_form_of_payload_is_required_and_no_more() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> event().payload(BYTES, "a/b").payloadJson("{}").build())
                .withMessage("payload and payloadJson are both set; set one of them");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> event().payload(BYTES, "a/b").payloadBytes(BYTES).build())
                .withMessage("payload and payloadBytes are both set; set one of them");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event().payload(null, "a/b").build())
                .withMessageStartingWith("payload is missing");
        assertThat(event().payload(new byte[0], "a/b").build().payloadBytes()).isEmpty();
    }

    @Test
    void the_limit_is_that_of_text_and_leaves_room_for_what_a_transformer_adds() {
        int most = EventEnvelope.MAX_PAYLOAD_BYTES;
        assertThat(event().payload(new byte[most], "a/b").build().sizeInMemory())
                .isGreaterThanOrEqualTo(most);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> event().payload(new byte[most + 1], "a/b").build())
                .withMessageStartingWith("payload must be at most 1048576 bytes, was 1048577");

        EventEnvelope.Builder transformed = event().headers(Map.of(PayloadTransformer.KEY_HEADER, "k"));
        assertThat(transformed
                        .payload(new byte[most + 65_536], "application/json")
                        .build()
                        .isBinary())
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        transformed.payload(new byte[most + 65_537], "a/b").build())
                .withMessageContaining("bytes after its transformation");
    }

    @Test
    void a_builder_made_of_an_event_makes_the_same_event() {
        for (EventEnvelope event : new EventEnvelope[] {
            event().payload(BYTES, "a/b")
                    .eventId("e1")
                    .aggregateType("Order")
                    .aggregateId("7")
                    .tenantId("acme")
                    .headers(Map.of("k", "v"))
                    .occurredAt(Instant.parse("2026-01-01T00:00:00Z"))
                    .availableAt(Instant.parse("2026-01-01T00:00:00Z"))
                    .build(),
            event().payloadJson("{}").deliverAfter(Duration.ofHours(1)).build()
        }) {
            assertThat(event.toBuilder().build()).usingRecursiveComparison().isEqualTo(event);
        }
        EventEnvelope other = event().payload(BYTES, "a/b").build().toBuilder()
                .payloadJson("{}")
                .build();
        assertThat(other.payloadJson()).isEqualTo("{}");
    }

    @Test
    void a_store_that_cannot_keep_bytes_gets_none_and_nobody_may_pass_for_a_transformer() throws Exception {
        StubTransaction tx = new StubTransaction();
        RecordingStore store = new RecordingStore();
        OutboxWriter writer = new OutboxWriter(tx, store);

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> writer.write("OrderPlaced", BYTES, "a/b"))
                .withMessageContaining("does not override canKeepBytes");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> new OutboxWriter(tx, store, WriterHook.transforming(new PayloadTransformer() {
                            @Override
                            public Transformed transform(byte[] payload, EventEnvelope event) {
                                return null;
                            }

                            @Override
                            public byte[] restore(byte[] stored, String keyId, EventEnvelope event) {
                                return stored;
                            }
                        }))
                        .write("OrderPlaced", "{}"))
                .withMessageContaining("payloadTransformer needs a store that keeps bytes");
        RecordingStore keeping = new RecordingStore() {
            @Override
            public boolean canKeepBytes() {
                return true;
            }
        };
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OutboxWriter(tx, keeping)
                        .write(event().headers(Map.of(PayloadTransformer.KEY_HEADER, "k"))
                                .payload(BYTES, "a/b")
                                .build()))
                .withMessageContaining("has the header \"outbox-payload-key\", which belongs to payload transformers");
        assertThat(keeping.pollPending(tx.currentConnection(), Instant.MAX, Duration.ZERO, 10))
                .isEmpty();
    }
}
