package outbox.inbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.bus.NoSubscriberException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InProcessEventBusTest {

    private static final EventHandler NOTHING = event -> {};

    private final List<String> consumed = new ArrayList<>();
    private final EventEnvelope event = EventEnvelope.ofJson("A", "{}");

    /** A bus on a template that does for each group what the test says. */
    private InProcessEventBus bus(Function<String, ConsumeResult> groups) {
        return new InProcessEventBus(new EventHandlerTemplate() {
            @Override
            public ConsumeResult consume(
                    String consumerGroup, EventEnvelope event, EventHandler handler, ConsumeOptions options) {
                consumed.add(consumerGroup);
                return groups.apply(consumerGroup);
            }

            @Override
            public List<ConsumeResult> consumeAll(
                    String consumerGroup, List<EventEnvelope> events, EventHandler handler, ConsumeOptions options) {
                throw new UnsupportedOperationException();
            }
        });
    }

    @Test
    void an_event_goes_to_every_group_that_has_a_handler_for_its_type() {
        InProcessEventBus bus = bus(group -> ConsumeResult.HANDLED)
                .register("one", "A", NOTHING)
                .register("two", "A", NOTHING)
                .register("two", "B", NOTHING);
        bus.publish(event);
        assertThat(consumed).containsExactly("one", "two");
    }

    @Test
    void no_group_is_an_error_of_its_own() {
        assertThatThrownBy(() -> bus(group -> ConsumeResult.HANDLED).publish(event))
                .isInstanceOf(NoSubscriberException.class)
                .hasMessage("No subscriber for event type \"A\"; subscribe before events of that type are published");
    }

    @Test
    void every_group_gets_the_event_whatever_the_others_do_and_all_failures_are_told() {
        Map<String, RuntimeException> failures =
                Map.of("one", new IllegalStateException("1"), "three", new IllegalStateException("3"));
        InProcessEventBus bus = bus(group -> {
                    if (failures.containsKey(group)) {
                        throw failures.get(group);
                    }
                    return group.equals("four") ? ConsumeResult.inProgress(null) : ConsumeResult.REPLAYED;
                })
                .register("one", "A", NOTHING)
                .register("two", "A", NOTHING)
                .register("three", "A", NOTHING)
                .register("four", "A", NOTHING);

        assertThatThrownBy(() -> bus.publish(event))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasCause(failures.get("one"))
                .satisfies(e -> assertThat(e.getSuppressed())
                        .hasSize(2)
                        .contains(failures.get("three"))
                        .anyMatch(other -> other.getMessage().endsWith("is in progress in group four")));
        assertThat(consumed).containsExactly("one", "two", "three", "four");
    }

    @Test
    void every_group_gets_the_event_even_after_one_was_interrupted_or_ran_out_of_memory() {
        OutOfMemoryError outOfMemory = new OutOfMemoryError();
        List<Boolean> flags = new ArrayList<>();
        InProcessEventBus bus = bus(group -> {
                    flags.add(Thread.currentThread().isInterrupted());
                    if (group.equals("one")) {
                        Thread.currentThread().interrupt();
                        throw new EventConsumeFailedException("interrupted", new InterruptedException());
                    }
                    if (group.equals("two")) {
                        throw outOfMemory;
                    }
                    return ConsumeResult.HANDLED;
                })
                .register("one", "A", NOTHING)
                .register("two", "A", NOTHING)
                .register("three", "A", NOTHING);

        assertThatThrownBy(() -> bus.publish(event))
                .hasMessageContaining("Not every group has handled")
                .satisfies(e -> assertThat(e.getSuppressed()).containsExactly(outOfMemory));
        assertThat(Thread.interrupted()).as("restored").isTrue();
        assertThat(consumed).containsExactly("one", "two", "three");
        assertThat(flags).containsExactly(false, false, false);
    }

    @Test
    void a_group_has_one_handler_for_a_type() {
        InProcessEventBus bus = bus(group -> ConsumeResult.HANDLED).register("one", "A", NOTHING);
        assertThatThrownBy(() -> bus.register("one", "A", NOTHING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Group \"one\" already has a handler for \"A\"");
    }

    @Test
    void the_dispatcher_finds_the_bus_as_the_listener_of_types_that_have_a_handler() throws Exception {
        InProcessEventBus bus = bus(group -> ConsumeResult.HANDLED).register("one", "A", NOTHING);
        assertThat(bus.listeners().listenerFor("Any", "B")).isNull();
        EventListener listener = bus.listeners().listenerFor("Any", "A");
        listener.onEvent(event);
        assertThat(consumed).containsExactly("one");
    }
}
