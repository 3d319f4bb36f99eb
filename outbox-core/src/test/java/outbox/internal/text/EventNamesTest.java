package outbox.internal.text;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

import static org.assertj.core.api.Assertions.assertThat;

class EventNamesTest {

    private final EventEnvelope event = EventEnvelope.builder("OrderPlaced")
            .eventId("e1")
            .aggregateType("Order")
            .tenantId("acme")
            .payloadJson("{\"a\":1}")
            .build();
    private final OutboxEvent row = new OutboxEvent("e2", "OrderPlaced", null, "7", null, "{}", null, 0, Instant.EPOCH);

    @Test
    void an_event_is_named_by_id_types_table_and_tenant() {
        EventNames names = new EventNames("shop_outbox", tenant -> tenant);

        assertThat(names.of(event)).isEqualTo("Event e1 (Order/OrderPlaced, table shop_outbox, tenant acme)");
        assertThat(names.of(row)).isEqualTo("Event e2 (null/OrderPlaced, table shop_outbox)");
        assertThat(EventNames.PLAIN.of(event)).isEqualTo("Event e1 (Order/OrderPlaced, tenant acme)");
    }

    @Test
    void a_tenant_is_shown_as_the_function_says_and_not_at_all_if_it_fails() {
        assertThat(new EventNames(null, tenant -> "#" + tenant.length()).of(event))
                .endsWith(", tenant #4)");
        assertThat(new EventNames(null, tenant -> null).of(event)).endsWith(", tenant null)");
        assertThat(new EventNames(null, tenant -> {
                            throw new IllegalStateException(tenant);
                        })
                        .of(event))
                .endsWith(", tenant ?)");
    }

    @Test
    void a_name_with_line_breaks_stays_in_its_line() {
        assertThat(EventNames.PLAIN.of("1\nERROR forged", "Order", "Placed\r", null))
                .isEqualTo("Event 1\\nERROR forged (Order/Placed\\u000d)");
    }
}
