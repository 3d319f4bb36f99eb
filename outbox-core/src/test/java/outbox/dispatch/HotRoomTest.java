package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.event;

class HotRoomTest {

    private static final long SIZE = event("a").sizeInMemory();

    private final EventEnvelope later = EventEnvelope.builder("Later")
            .payloadJson("{}")
            .deliverAfter(Duration.ofSeconds(1))
            .build();
    private final List<EventEnvelope> batch = List.of(event("a"), later, event("b"), event("c"));

    @Test
    void the_first_that_fit_in_number_and_bytes_are_taken_and_delayed_ones_never() {
        assertThat(new HotRoom(10, 10 * SIZE).firstOf(batch))
                .extracting(EventEnvelope::eventId)
                .containsExactly("a", "b", "c");
        assertThat(new HotRoom(2, 10 * SIZE).firstOf(batch)).hasSize(2);
        assertThat(new HotRoom(10, 2 * SIZE).firstOf(batch)).hasSize(2);
        assertThat(new HotRoom(10, 2 * SIZE - 1).firstOf(batch)).hasSize(1);
        assertThat(HotRoom.NONE.firstOf(batch)).isEmpty();
        assertThat(new HotRoom(-1, -1).firstOf(batch)).isEmpty();
    }

    @Test
    void all_together_fit_or_do_not() {
        List<EventEnvelope> three = List.of(event("a"), event("b"), event("c"));

        assertThat(new HotRoom(3, 3 * SIZE).hasRoomFor(three)).isTrue();
        assertThat(new HotRoom(2, 3 * SIZE).hasRoomFor(three)).isFalse();
        assertThat(new HotRoom(3, 3 * SIZE - 1).hasRoomFor(three)).isFalse();
    }
}
