package outbox.jackson;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import outbox.domain.DomainEvent;
import outbox.jackson2.Jackson2JsonCodec;
import outbox.jackson2.Jackson2Payloads;
import outbox.jackson3.Jackson3JsonCodec;
import outbox.jackson3.Jackson3Payloads;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;

/** An application may go from one Jackson to the other while events wait in the table. */
class BothJacksonsTest {

    record Everything(
            String zebra,
            String eventId,
            Instant occurredAt,
            LocalDate day,
            BigDecimal amount,
            List<BigDecimal> amounts,
            Map<String, Long> counts,
            Kind kind,
            String nothing)
            implements DomainEvent {}

    enum Kind {
        PLAIN
    }

    private static Everything everything(String amount) {
        return new Everything(
                "z\u00e9bra \ud83e\udd93 \"quoted\" </script>",
                "e1",
                Instant.parse("2026-03-01T10:15:30.000000001Z"),
                LocalDate.of(2026, 3, 1),
                new BigDecimal(amount),
                List.of(new BigDecimal("0.10"), new BigDecimal("1E+3")),
                Map.of("pens", 3L),
                Kind.PLAIN,
                null);
    }

    @Test
    void they_write_the_same_json_and_read_each_others() {
        var two = new Jackson2Payloads();
        var three = new Jackson3Payloads();
        for (String amount : List.of("1.10", "0.00", "1E+3", "12345678901234567890.123456789012345678901")) {
            Everything event = everything(amount);

            assertThat(three.serialize(event)).isEqualTo(two.serialize(event));
            assertThat(three.deserialize(two.serialize(event), Everything.class))
                    .isEqualTo(event);
            assertThat(two.deserialize(three.serialize(event), Everything.class))
                    .isEqualTo(event);
        }
    }

    @Test
    void headers_are_the_same_with_every_codec() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("z", "caf\u00e9 \ud83e\udd93 \"q\" \\ / \n\t\u0001");
        headers.put("a", null);
        List<JsonCodec> codecs = List.of(JsonCodec.getDefault(), new Jackson2JsonCodec(), new Jackson3JsonCodec());
        List<Map<String, String>> read = new ArrayList<>();
        for (JsonCodec writing : codecs) {
            String json = Optional.ofNullable(writing.toJson(headers)).orElseThrow();
            codecs.forEach(reading -> read.add(reading.parseObject(json)));
        }

        assertThat(read).hasSize(9).allSatisfy(back -> assertThat(back).containsExactlyEntriesOf(headers));
    }
}
