package outbox.domain;

import java.time.Instant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DomainEventTypesTest {

    @EventName("order-placed")
    record OtherPlaced(String eventId, Instant occurredAt) implements DomainEvent {}

    @Test
    void the_registered_name_goes_before_the_annotation_and_that_before_the_class_name() {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(Order.Placed.class, "placed", 7)
                .build();

        assertThat(types.nameOf(Order.Placed.class)).isEqualTo(new VersionedName("placed", 7));
        assertThat(types.nameOf(Order.Paid.class)).isEqualTo(new VersionedName("order-paid", 2));
        assertThat(types.nameOf(Order.Unnamed.class)).isEqualTo(new VersionedName("outbox.domain.Order$Unnamed", 1));
    }

    @Test
    void a_sealed_type_registers_all_that_it_permits() {
        assertThat(DomainEventTypes.of(Order.OrderEvent.class).registered())
                .containsExactly(Order.Placed.class, Order.Paid.class);
    }

    @Test
    void an_open_abstract_type_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.of(DomainEvent.class))
                .withMessageContaining("outbox.domain.DomainEvent is abstract")
                .withMessageContaining("register the classes that implement it");
    }

    @Test
    void a_name_and_version_is_that_of_one_class() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.of(Order.Placed.class, OtherPlaced.class))
                .withMessageContaining("\"order-placed\" version 1")
                .withMessageContaining("OtherPlaced");
    }

    @Test
    void a_class_has_one_name() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DomainEventTypes.builder().register(Order.Placed.class).register(Order.Placed.class, "x", 1))
                .withMessageContaining("is already registered as event \"order-placed\" version 1");
    }

    @Test
    void two_versions_of_a_name_may_be_two_classes() {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(OtherPlaced.class)
                .register(Order.Placed.class, "order-placed", 2)
                .build();

        assertThat(types.classOf(new VersionedName("order-placed", 1))).isEqualTo(OtherPlaced.class);
        assertThat(types.classOf(new VersionedName("order-placed", 2))).isEqualTo(Order.Placed.class);
        assertThat(types.classOf(new VersionedName("order-placed", 3))).isNull();
    }

    @Test
    void former_names_need_a_registered_class_and_belong_to_one_event() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.builder().formerName("old", Order.Placed.class))
                .withMessageContaining("Order$Placed is not registered");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.builder()
                        .register(Order.OrderEvent.class)
                        .formerName("old", Order.Placed.class)
                        .formerName("old", Order.Paid.class))
                .withMessageContaining("already belongs to \"order-placed\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.builder()
                        .register(Order.OrderEvent.class)
                        .formerName("order-paid", Order.Placed.class)
                        .build())
                .withMessageContaining("is the present name of");
    }

    @Test
    void empty_names_and_versions_below_one_are_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.builder().register(Order.Placed.class, " ", 1))
                .withMessageContaining("event name must not be empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventTypes.builder().register(Order.Placed.class, "x", 0))
                .withMessage("version of event \"x\" must be >= 1, was 0");
    }
}
