package outbox;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.OutboxEvent;

import static org.assertj.core.api.Assertions.assertThat;

/** Ids and types come from whoever writes. Shown, they begin no line that could pass for an entry of a log. */
class ForgedNamesTest {

    private static final String FORGED = "a\r\nSEVERE: forged\u2028next";

    @Test
    void an_event_is_named_in_one_line() {
        EventEnvelope event = EventEnvelope.builder(FORGED)
                .eventId(FORGED)
                .aggregateType(FORGED)
                .aggregateId(FORGED)
                .payloadJson("{}")
                .build();
        OutboxEvent row = new OutboxEvent(FORGED, FORGED, FORGED, FORGED, null, "{}", null, 0, Instant.EPOCH);

        assertThat(event.toString()).contains("[a\\nSEVERE: forged\\nnext, ").doesNotContainPattern("\\R");
        assertThat(row.toString()).contains("[a\\nSEVERE: forged\\nnext, ").doesNotContainPattern("\\R");
    }

    @Test
    void so_are_ids_that_are_written_twice() {
        assertThat(new DuplicateEventException(List.of(FORGED), "outbox_event").getMessage())
                .contains(": a\\nSEVERE: forged\\nnext. This call")
                .doesNotContainPattern("\\R");
    }
}
