package outbox.domain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.dispatch.UnroutableEventException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DomainEventListenerTest {

    private static final DomainEventTypes TYPES = DomainEventTypes.of(Order.OrderEvent.class);

    private final List<DomainEvent> handled = new ArrayList<>();

    /** Says when it is loaded; nothing but a name in a row may do so. */
    static final class Trap implements DomainEvent {

        static {
            System.setProperty("outbox.domain.trap", "sprung");
        }

        @Override
        public String eventId() {
            return "trap";
        }

        @Override
        public Instant occurredAt() {
            return Order.AT;
        }
    }

    private static EventEnvelope stored(String name, String version, String... parts) {
        return EventEnvelope.builder(name)
                .headers(Map.of("eventVersion", version))
                .payloadJson(PlainText.text(parts))
                .build();
    }

    private DomainEventListener listener(EventUpcaster upcaster) {
        return DomainEventListener.builder(TYPES, new PlainText())
                .on(Order.OrderEvent.class, handled::add)
                .upcaster(upcaster)
                .build();
    }

    @Test
    void an_event_arrives_as_an_object_of_its_class() throws Exception {
        List<String> customers = new ArrayList<>();
        DomainEventListener listener = DomainEventListener.builder(TYPES, new PlainText())
                .on(Order.Placed.class, event -> customers.add(event.customer()))
                .build();

        listener.onEvent(stored("order-placed", "1", "id", "Ann"));

        assertThat(customers).containsExactly("Ann");
    }

    @Test
    void the_nearest_handler_takes_an_event() throws Exception {
        List<String> taken = new ArrayList<>();
        DomainEventListener listener = DomainEventListener.builder(TYPES, new PlainText())
                .on(DomainEvent.class, event -> taken.add("any"))
                .on(Order.OrderEvent.class, event -> taken.add("order"))
                .on(Order.Paid.class, event -> taken.add("paid"))
                .build();

        listener.onEvent(stored("order-placed", "1", "id", "Ann"));
        listener.onEvent(stored("order-paid", "2", "id", "5"));

        assertThat(taken).containsExactly("order", "paid");
    }

    @Test
    void a_version_header_that_is_missing_means_version_one() throws Exception {
        listener(EventUpcaster.NONE).onEvent(EventEnvelope.ofJson("order-placed", PlainText.text("id", "Ann")));

        assertThat(handled).containsExactly(new Order.Placed("id", Order.AT, "Ann"));
    }

    @Test
    void a_version_header_that_is_no_version_is_an_error_that_does_not_show_it() {
        for (String wrong : List.of("secret", "0", "-1", "1.5")) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> listener(EventUpcaster.NONE).onEvent(stored("order-placed", wrong, "id", "Ann")))
                    .withMessageContaining("must be a whole number >= 1")
                    .withMessageNotContaining("secret");
        }
    }

    @Test
    void an_event_without_a_handler_is_unroutable() {
        DomainEventListener listener = DomainEventListener.builder(TYPES, new PlainText())
                .on(Order.Placed.class, handled::add)
                .build();

        assertThatExceptionOfType(UnroutableEventException.class)
                .isThrownBy(() -> listener.onEvent(stored("order-paid", "2", "id", "5")))
                .withMessageContaining("No handler for outbox.domain.Order$Paid");
    }

    @Test
    void a_class_that_is_not_registered_is_never_loaded() {
        assertThatExceptionOfType(UnroutableEventException.class)
                .isThrownBy(() -> listener(EventUpcaster.NONE)
                        .onEvent(stored("outbox.domain.DomainEventListenerTest$Trap", "1", "id")))
                .withMessageContaining("is not registered");
        assertThat(System.getProperty("outbox.domain.trap")).isNull();
    }

    @Test
    void a_version_that_nobody_knows_is_retried_because_another_process_may_know_it() {
        assertThatExceptionOfType(OutboxException.class)
                .isThrownBy(() -> listener(EventUpcaster.NONE).onEvent(stored("order-paid", "3", "id", "5")))
                .withMessageContaining("\"order-paid\" version 3")
                .withMessageContaining("register a class for that version");
    }

    @Test
    void old_versions_are_brought_up_to_date_step_by_step() throws Exception {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(Order.Placed.class, "order-placed", 3)
                .build();
        DomainEventListener listener = DomainEventListener.builder(types, new PlainText())
                .on(Order.Placed.class, handled::add)
                .upcaster(event -> new StoredDomainEvent(
                        event.name(), event.version() + 1, event.payload().replace("Ann", "Ann+")))
                .build();

        listener.onEvent(stored("order-placed", "1", "id", "Ann"));

        assertThat(handled).containsExactly(new Order.Placed("id", Order.AT, "Ann++"));
    }

    @Test
    void newer_versions_and_other_names_reach_the_upcaster_too() throws Exception {
        DomainEventListener listener = listener(event -> new StoredDomainEvent("order-paid", 2, event.payload()));

        listener.onEvent(stored("order-paid", "9", "id", "5"));
        listener.onEvent(stored("order-settled", "1", "id", "6"));

        assertThat(handled).containsExactly(new Order.Paid("id", Order.AT, 5), new Order.Paid("id", Order.AT, 6));
    }

    @Test
    void an_upcaster_that_goes_in_circles_is_an_error() {
        EventUpcaster circle = event -> new StoredDomainEvent(event.name(), 3 + event.version() % 2, event.payload());

        assertThatExceptionOfType(OutboxException.class)
                .isThrownBy(() -> listener(circle).onEvent(stored("order-paid", "3", "id", "5")))
                .withMessageContaining("goes in circles");
    }

    @Test
    void a_former_name_is_read_as_the_present_one() throws Exception {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(Order.Placed.class)
                .formerName("shop.OldPlaced", Order.Placed.class)
                .build();
        DomainEventListener listener = DomainEventListener.builder(types, new PlainText())
                .on(Order.Placed.class, handled::add)
                .build();

        listener.onEvent(stored("shop.OldPlaced", "1", "id", "Ann"));

        assertThat(handled).hasSize(1);
    }

    @Test
    void a_payload_of_another_form_is_an_error_that_names_the_event_and_not_its_content() {
        assertThatExceptionOfType(OutboxException.class)
                .isThrownBy(() -> listener(EventUpcaster.NONE).onEvent(stored("order-paid", "2", "id", "five")))
                .withMessageContaining("\"order-paid\" version 2")
                .withMessageContaining("Order$Paid")
                .withMessageNotContaining("five")
                .withCauseInstanceOf(NumberFormatException.class);
    }

    @Test
    void handlers_of_types_that_cannot_arrive_and_second_handlers_are_refused() {
        DomainEventListener.Builder builder =
                DomainEventListener.builder(TYPES, new PlainText()).on(Order.Placed.class, handled::add);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.on(Order.Unnamed.class, handled::add))
                .withMessageContaining("add it to DomainEventTypes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.on(Order.Placed.class, handled::add))
                .withMessageContaining("already has a handler");
    }

    interface Audited extends DomainEvent {}

    interface Billed extends DomainEvent {}

    record Both(String eventId, Instant occurredAt) implements Audited, Billed {}

    @Test
    void an_event_with_two_handlers_of_which_none_is_nearer_is_refused_when_the_listener_is_made() {
        DomainEventListener.Builder builder = DomainEventListener.builder(
                        DomainEventTypes.of(Both.class), new PlainText())
                .on(Audited.class, handled::add)
                .on(Billed.class, handled::add);

        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessageContaining("Both would have several handlers")
                .withMessageContaining("Audited")
                .withMessageContaining("Billed");
    }
}
