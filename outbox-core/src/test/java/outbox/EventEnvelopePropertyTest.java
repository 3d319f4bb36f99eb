package outbox;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import outbox.testsupport.RandomText;
import outbox.testsupport.Seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Events with any fields, at their limits and beyond. */
class EventEnvelopePropertyTest {

    private static final int MAX = EventEnvelope.MAX_PAYLOAD_BYTES;
    private static final String[] CHARACTERS_OF_1_TO_4_BYTES = {"x", "é", "中", "\ud83d\ude00"};

    private static String orNull(Random random, String text) {
        return random.nextInt(4) == 0 ? null : text;
    }

    private static Instant anyTime(Random random) {
        long range = Instant.MAX.getEpochSecond() - Instant.MIN.getEpochSecond();
        long second = Instant.MIN.getEpochSecond() + (long) (random.nextDouble() * range);
        return random.nextInt(4) == 0 ? null : Instant.ofEpochSecond(second, random.nextInt(1_000_000_000));
    }

    @Test
    void an_event_has_what_it_was_given_or_is_refused_because_its_type_id_or_payload_is_no_text() {
        Seeds.check(8_000, random -> {
            String type = RandomText.anything(random, 3);
            String id = orNull(random, RandomText.anything(random, 3));
            String aggregateType = orNull(random, RandomText.anything(random, 80));
            String aggregateId = orNull(random, RandomText.anything(random, 200));
            String tenantId = orNull(random, RandomText.anything(random, 80));
            Instant time = anyTime(random);
            String payload = RandomText.anything(random, 20);
            boolean valid = !type.isBlank() && (id == null || !id.isBlank()) && RandomText.isPaired(payload);

            EventEnvelope event;
            try {
                event = EventEnvelope.builder(type)
                        .eventId(id)
                        .occurredAt(time)
                        .aggregateType(aggregateType)
                        .aggregateId(aggregateId)
                        .tenantId(tenantId)
                        .payloadJson(payload)
                        .build();
            } catch (IllegalArgumentException refused) {
                assertThat(valid).as(refused.getMessage()).isFalse();
                return;
            }

            assertThat(valid).isTrue();
            assertThat(event.eventType()).isEqualTo(type);
            assertThat(event.eventId())
                    .isEqualTo(id == null ? event.eventId() : id)
                    .isNotBlank();
            assertThat(event.occurredAt()).isEqualTo(time == null ? event.occurredAt() : time);
            assertThat(event.aggregateType())
                    .isEqualTo(aggregateType == null ? AggregateType.GLOBAL.name() : aggregateType);
            assertThat(event.aggregateId()).isEqualTo(aggregateId);
            assertThat(event.tenantId()).isEqualTo(tenantId);
            assertThat(event.payloadJson()).isEqualTo(payload);
            assertThat(event.payloadBytes()).isEqualTo(payload.getBytes(StandardCharsets.UTF_8));
        });
    }

    @Test
    void a_payload_is_accepted_exactly_up_to_its_limit_in_bytes() {
        Seeds.check(20, random -> {
            String c = CHARACTERS_OF_1_TO_4_BYTES[random.nextInt(4)];
            int size = c.getBytes(StandardCharsets.UTF_8).length;
            int bytes = MAX - 4 + random.nextInt(9);
            String payload = c.repeat(bytes / size) + "x".repeat(bytes % size);
            byte[] encoded = payload.getBytes(StandardCharsets.UTF_8);
            assertThat(encoded).hasSize(bytes);

            EventEnvelope.Builder text = EventEnvelope.builder("T").payloadJson(payload);
            EventEnvelope.Builder binary = EventEnvelope.builder("T").payloadBytes(encoded);
            if (bytes <= MAX) {
                assertThat(text.build().payloadBytes()).isEqualTo(encoded);
                assertThat(binary.build().payloadJson()).isEqualTo(payload);
            } else {
                String message = "at most 1048576 bytes of UTF-8, was " + bytes;
                assertThatIllegalArgumentException().isThrownBy(text::build).withMessageContaining(message);
                assertThatIllegalArgumentException().isThrownBy(binary::build).withMessageContaining(message);
            }
        });
    }

    @Test
    void bytes_are_accepted_exactly_if_they_are_utf_8() {
        Seeds.check(8_000, random -> {
            byte[] bytes = RandomText.unicode(random, 10).getBytes(StandardCharsets.UTF_8);
            if (bytes.length > 0 && random.nextBoolean()) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            boolean valid =
                    Arrays.equals(new String(bytes, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8), bytes);
            EventEnvelope.Builder event = EventEnvelope.builder("T").payloadBytes(bytes);
            if (valid) {
                assertThat(event.build().payloadBytes()).isEqualTo(bytes);
            } else {
                assertThatThrownBy(event::build)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("payloadBytes must be valid UTF-8");
            }
        });
    }

    @Test
    void headers_are_copied_whatever_they_are_and_only_a_null_key_is_refused() {
        Seeds.check(5_000, random -> {
            Map<String, String> headers = new HashMap<>();
            for (int i = random.nextInt(10); i > 0; i--) {
                headers.put(
                        random.nextInt(20) == 0 ? null : RandomText.anything(random, 10),
                        orNull(random, RandomText.anything(random, 50)));
            }
            EventEnvelope.Builder builder = EventEnvelope.builder("T").payloadJson("{}");
            if (headers.containsKey(null)) {
                assertThatIllegalArgumentException().isThrownBy(() -> builder.headers(headers));
                return;
            }
            EventEnvelope event = builder.headers(headers).build();
            Map<String, String> given = new HashMap<>(headers);
            headers.put("later", "change");
            assertThat(event.headers()).isEqualTo(given);
        });
    }

    @Test
    void what_identifies_an_event_in_logs_shows_neither_payload_nor_headers() {
        Seeds.check(2_000, random -> {
            String secret = "secret" + random.nextInt(1_000);
            EventEnvelope event = EventEnvelope.builder("T" + random.nextInt(10))
                    .headers(Map.of(secret, secret))
                    .payloadJson(secret + RandomText.unicode(random, 10))
                    .build();
            assertThat(event.toString()).doesNotContain("secret").contains(event.eventId());
        });
    }
}
