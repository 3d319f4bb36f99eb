package outbox.dispatch;

import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.AfterDead;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.internal.text.EventNames;
import outbox.registry.ListenerRegistry;
import outbox.testsupport.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.keyed;

/** Whether a DEAD event holds its key. */
class ListenersAfterDeadTest {

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void the_listener_of_the_event_decides() {
        assertThat(holdsKey((aggregateType, eventType) -> EventListener.holdingKeyAfterDead(event -> {})))
                .isTrue();
        assertThat(holdsKey((aggregateType, eventType) -> event -> {})).isFalse();
    }

    @Test
    void an_event_without_a_listener_holds_nothing() {
        assertThat(holdsKey((aggregateType, eventType) -> null)).isFalse();
    }

    @Test
    void a_listener_that_cannot_tell_holds_the_key() {
        EventListener broken = new EventListener() {

            @Override
            public void onEvent(EventEnvelope event) {}

            @Override
            public AfterDead afterDead() {
                throw new IllegalStateException("no idea");
            }
        };

        assertThat(holdsKey((aggregateType, eventType) -> broken)).isTrue();
        assertThat(log.at(Level.SEVERE))
                .containsExactly("Cannot ask what follows the end of Event a (Order/UserCreated); its key is held");
    }

    private static boolean holdsKey(ListenerRegistry registry) {
        return new Listeners(registry, List.of(), EventNames.PLAIN).holdKeyWhenDead(keyed("a", "1"));
    }
}
