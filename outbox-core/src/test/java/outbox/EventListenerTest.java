package outbox;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.testsupport.Events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EventListenerTest {

    @Test
    void later_events_go_on_after_a_dead_one_unless_the_listener_says_otherwise() {
        EventListener listener = event -> {};

        assertThat(listener.afterDead()).isEqualTo(AfterDead.CONTINUE);
        assertThat(EventListener.holdingKeyAfterDead(listener).afterDead()).isEqualTo(AfterDead.HOLD_KEY);
    }

    @Test
    void a_listener_that_holds_the_key_does_what_the_given_one_does() throws Exception {
        List<String> delivered = new ArrayList<>();
        EventListener.holdingKeyAfterDead(event -> delivered.add(event.eventId()))
                .onEvent(Events.event("a"));

        assertThat(delivered).containsExactly("a");
        assertThatThrownBy(() -> EventListener.holdingKeyAfterDead(event -> {
                            throw new IllegalStateException("no");
                        })
                        .onEvent(Events.event("a")))
                .hasMessage("no");
    }

    @Test
    void there_must_be_a_listener() {
        assertThatThrownBy(() -> EventListener.holdingKeyAfterDead(null)).hasMessage("listener");
    }
}
