package outbox.internal.payload;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.dispatch.OutboxDispatcher;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.PayloadTransformer;
import outbox.spi.UnknownPayloadKeyException;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PayloadTransformsTest {

    /** Turns every bit over, and says what it is told to when it has to turn them back. */
    private static final class Turning implements PayloadTransformer {

        private final String keyId;
        private byte[] restored;

        private Turning(String keyId) {
            this.keyId = keyId;
        }

        @Override
        public Transformed transform(byte[] payload, EventEnvelope event) {
            return event.eventType().equals("Plain") ? null : Transformed.of(turned(payload), keyId);
        }

        @Override
        public byte[] restore(byte[] stored, String id, EventEnvelope event) throws UnknownPayloadKeyException {
            assertThat(event.headers()).doesNotContainKey(KEY_HEADER);
            if (!id.equals(keyId)) {
                throw new UnknownPayloadKeyException(id);
            }
            return restored == null ? turned(stored) : restored;
        }

        private static byte[] turned(byte[] bytes) {
            byte[] turned = bytes.clone();
            for (int i = 0; i < turned.length; i++) {
                turned[i] = (byte) ~turned[i];
            }
            return turned;
        }
    }

    private final Turning transformer = new Turning("k");
    private final PayloadTransforms transforms = PayloadTransforms.of(transformer);

    private static EventEnvelope.Builder event(String type) {
        return EventEnvelope.builder(type).headers(Map.of("trace", "1")).aggregateId("7");
    }

    private EventEnvelope stored(EventEnvelope event) {
        return transforms.store(List.of(event)).of(List.of(event)).get(0);
    }

    @Test
    void what_was_stored_is_restored_whatever_form_it_had() throws Exception {
        for (EventEnvelope event : List.of(
                event("T").payloadJson("{\"n\":\"é\"}").build(),
                event("T").payload(new byte[] {0, -1}, "a/b").build(),
                event("T").payload(new byte[0], "a/b").build())) {
            EventEnvelope stored = stored(event);

            assertThat(stored.isBinary()).isTrue();
            assertThat(stored.payloadBytes()).isEqualTo(Turning.turned(event.payloadBytes()));
            assertThat(stored.contentType()).isEqualTo(event.contentType());
            assertThat(stored.headers())
                    .containsEntry("outbox-payload-key", "k")
                    .containsEntry("trace", "1");
            EventEnvelope restored = transforms.restore(stored);
            assertThat(restored.isBinary()).isEqualTo(event.isBinary());
            assertThat(restored.payloadBytes()).isEqualTo(event.payloadBytes());
            assertThat(restored.headers()).isEqualTo(event.headers());
            assertThat(restored.eventId()).isEqualTo(event.eventId());
            assertThat(restored.aggregateId()).isEqualTo("7");
        }
    }

    @Test
    void what_was_not_transformed_is_left_alone() throws Exception {
        EventEnvelope plain = event("Plain").payloadJson("{}").build();
        assertThat(stored(plain)).isSameAs(plain);
        assertThat(transforms.restore(plain)).isSameAs(plain);
        EventEnvelope json = event("T")
                .headers(Map.of(PayloadTransformer.KEY_HEADER, "no bytes, no key"))
                .payloadJson("{}")
                .build();
        assertThat(transforms.restore(json)).isSameAs(json);
        assertThat(PayloadTransforms.NONE.store(List.of(json)).of(List.of(json)))
                .containsExactly(json);
    }

    @Test
    void an_unknown_key_is_no_fault_of_the_event_and_named_in_one_short_line() {
        PayloadTransforms others = PayloadTransforms.of(new Turning("other\nkey" + "x".repeat(200)));
        EventEnvelope event = event("T").payloadJson("{}").build();
        EventEnvelope stored = others.store(List.of(event)).of(List.of(event)).get(0);

        for (PayloadTransforms without : List.of(transforms, PayloadTransforms.NONE)) {
            assertThatExceptionOfType(RetryAfterException.class)
                    .isThrownBy(() -> without.restore(stored))
                    .satisfies(wait -> {
                        assertThat(wait.isCounted()).isFalse();
                        assertThat(wait.delay()).isEqualTo(PayloadTransforms.KEY_MAY_COME_WITHIN);
                        assertThat(wait).hasMessageContaining("key \"other\\nkeyx");
                        assertThat(wait.getMessage()).doesNotContain("\n").hasSizeLessThan(300);
                    });
        }
    }

    @Test
    void what_is_restored_must_be_what_it_was() {
        EventEnvelope stored = stored(event("T").payloadJson("{}").build());
        transformer.restored = new byte[] {(byte) 0xC3, 0x28};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transforms.restore(stored))
                .withMessageContaining("valid UTF-8");
        transformer.restored = new byte[EventEnvelope.MAX_PAYLOAD_BYTES + 1];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transforms.restore(stored))
                .withMessageContaining("at most 1048576");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void a_key_has_an_id(String keyId) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PayloadTransformer.Transformed.of(new byte[0], keyId))
                .withMessage("keyId must have from 1 to 255 characters, had none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PayloadTransformer.Transformed.of(new byte[0], "k".repeat(256)))
                .withMessageContaining("had 256");
        byte[] secret = "secret".getBytes(StandardCharsets.UTF_8);
        assertThat(PayloadTransformer.Transformed.of(secret, "k").toString())
                .isEqualTo("Transformed[6 bytes, keyId=k]");
    }

    @Test
    void the_header_of_the_key_belongs_to_transformers() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(PayloadTransformer.KEY_HEADER, null);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        stored(event("T").headers(headers).payloadJson("{}").build()))
                .withMessageContaining("has the header \"outbox-payload-key\"");
    }

    @Test
    void a_dispatcher_refuses_a_store_that_cannot_keep_what_is_made() {
        OutboxDispatcher.Builder settings = OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(new RecordingStore())
                .listenerRegistry(new DefaultListenerRegistry())
                .payloadTransformer(transformer);

        assertThatIllegalArgumentException()
                .isThrownBy(settings::build)
                .withMessageStartingWith("payloadTransformer needs a store that keeps bytes, but ");
    }
}
