package outbox.registry;

import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventListener;
import outbox.EventType;
import outbox.StringAggregateType;
import outbox.StringEventType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class DefaultListenerRegistryTest {

    private static final AggregateType ORDER = StringAggregateType.of("Order");
    private static final EventType PLACED = StringEventType.of("OrderPlaced");

    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final EventListener listener = event -> {};

    @Test
    void a_route_without_listener_has_none() {
        assertThat(registry.listenerFor("Order", "OrderPlaced")).isNull();
    }

    @Test
    void every_overload_registers_the_same_route() {
        assertThat(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", listener)
                        .listenerFor("Order", "OrderPlaced"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry()
                        .register(ORDER, PLACED, listener)
                        .listenerFor("Order", "OrderPlaced"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry()
                        .register(ORDER, "OrderPlaced", listener)
                        .listenerFor("Order", "OrderPlaced"))
                .isSameAs(listener);
    }

    @Test
    void without_aggregate_the_route_is_global() {
        assertThat(registry.register("OrderPlaced", listener)).isSameAs(registry);
        assertThat(registry.register(StringEventType.of("Other"), listener)).isSameAs(registry);

        assertThat(registry.listenerFor("__GLOBAL__", "OrderPlaced")).isSameAs(listener);
        assertThat(registry.listenerFor("__GLOBAL__", "Other")).isSameAs(listener);
        assertThat(registry.listenerFor("Order", "OrderPlaced")).isNull();
    }

    @Test
    void a_route_has_exactly_one_listener() {
        registry.register(ORDER, PLACED, listener);

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.register("Order", "OrderPlaced", event -> {}))
                .withMessageContaining("\"Order\"")
                .withMessageContaining("\"OrderPlaced\"");
        assertThat(registry.listenerFor("Order", "OrderPlaced")).isSameAs(listener);
    }

    @Test
    void routes_do_not_collide_at_the_separator() {
        EventListener other = event -> {};
        registry.register("a:b", "c", listener).register("a", "b:c", other);

        assertThat(registry.listenerFor("a:b", "c")).isSameAs(listener);
        assertThat(registry.listenerFor("a", "b:c")).isSameAs(other);
        assertThat(registry.listenerFor("a:b:c", "")).isNull();
    }

    @Test
    void parts_are_required() {
        assertThatNullPointerException().isThrownBy(() -> registry.register((String) null, "T", listener));
        assertThatNullPointerException().isThrownBy(() -> registry.register("A", null, listener));
        assertThatNullPointerException().isThrownBy(() -> registry.register("A", "T", null));
    }

    @Test
    void the_most_exact_listener_takes_the_event() {
        EventListener ofOrders = event -> {};
        EventListener ofAll = event -> {};
        registry.registerDefault(ofAll).registerForAggregate(ORDER, ofOrders).register(ORDER, PLACED, listener);

        assertThat(registry.listenerFor("Order", "OrderPlaced")).isSameAs(listener);
        assertThat(registry.listenerFor("Order", "OrderPaid")).isSameAs(ofOrders);
        assertThat(registry.listenerFor("Customer", "OrderPlaced")).isSameAs(ofAll);
    }

    @Test
    void an_aggregate_type_has_at_most_one_listener_for_all_its_events() {
        registry.registerForAggregate("Order", listener);

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.registerForAggregate("Order", event -> {}))
                .withMessageContaining("\"Order\"");
        assertThat(registry.listenerFor("Order", "OrderPlaced")).isSameAs(listener);
        assertThat(registry.listenerFor("Customer", "OrderPlaced")).isNull();
    }

    @Test
    void there_is_at_most_one_default_listener() {
        registry.registerDefault(listener);

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.registerDefault(event -> {}))
                .withMessageContaining("at most one");
        assertThat(registry.listenerFor("Order", "OrderPlaced")).isSameAs(listener);
    }
}
