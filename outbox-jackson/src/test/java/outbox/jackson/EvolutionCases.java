package outbox.jackson;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.dispatch.UnroutableEventException;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventListener;
import outbox.domain.DomainEventTypes;
import outbox.domain.EventName;
import outbox.domain.EventUpcaster;
import outbox.domain.OutboxPayloadDeserializer;
import outbox.domain.StoredDomainEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Rows that were written by yesterday's code and are read by today's, or the other way round; with each Jackson. */
public abstract class EvolutionCases {

    private static final Instant AT = Instant.parse("2026-03-01T10:15:30.123456789Z");
    private static final String HEAD = "{\"eventId\":\"e1\",\"occurredAt\":\"2026-03-01T10:15:30.123456789Z\"";

    public sealed interface OrderEvent extends DomainEvent permits Paid, Shipped {}

    @EventName(value = "order-paid", version = 2)
    public record Paid(String eventId, Instant occurredAt, BigDecimal amount, String currency) implements OrderEvent {}

    @EventName("order-shipped")
    public record Shipped(String eventId, Instant occurredAt, int parcels) implements OrderEvent {}

    private final List<DomainEvent> handled = new ArrayList<>();

    protected abstract OutboxPayloadDeserializer payloads();

    private DomainEventListener listener(DomainEventTypes types, EventUpcaster upcaster) {
        return DomainEventListener.builder(types, payloads())
                .on(DomainEvent.class, handled::add)
                .upcaster(upcaster)
                .build();
    }

    private DomainEventListener listener() {
        return listener(DomainEventTypes.of(OrderEvent.class), EventUpcaster.NONE);
    }

    private static EventEnvelope row(String name, int version, String rest) {
        return EventEnvelope.builder(name)
                .headers(Map.of("eventVersion", Integer.toString(version)))
                .payloadJson(HEAD + rest + "}")
                .build();
    }

    private static Paid paid(String amount, String currency) {
        return new Paid("e1", AT, new BigDecimal(amount), currency);
    }

    @Test
    void a_field_that_the_class_has_lost_is_passed_over() throws Exception {
        listener().onEvent(row("order-shipped", 1, ",\"parcels\":2,\"carrier\":\"by foot\""));

        assertThat(handled).containsExactly(new Shipped("e1", AT, 2));
    }

    @Test
    void a_field_that_the_class_has_got_is_null_in_old_rows() throws Exception {
        listener().onEvent(row("order-paid", 2, ",\"amount\":1.10"));

        assertThat(handled).containsExactly(paid("1.10", null));
    }

    @Test
    void a_number_that_old_rows_lack_is_an_error_and_not_zero() {
        assertThatExceptionOfType(OutboxException.class)
                .isThrownBy(() -> listener().onEvent(row("order-shipped", 1, "")))
                .withMessageContaining("\"order-shipped\" version 1")
                .withMessageContaining("a payload of another form needs another version");
    }

    /** The class was once called something else; with the annotation the row does not tell. */
    @Test
    void a_class_that_was_renamed_reads_the_rows_of_its_name() throws Exception {
        listener().onEvent(row("order-shipped", 1, ",\"parcels\":1"));

        assertThat(handled).hasOnlyElementsOfType(Shipped.class);
    }

    @Test
    void rows_under_an_old_class_name_are_read_through_the_former_name() throws Exception {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(OrderEvent.class)
                .formerName("shop.orders.OrderShippedEvent", Shipped.class)
                .build();

        listener(types, EventUpcaster.NONE).onEvent(row("shop.orders.OrderShippedEvent", 1, ",\"parcels\":1"));

        assertThat(handled).containsExactly(new Shipped("e1", AT, 1));
    }

    @Test
    void an_old_version_is_brought_up_to_date_and_keeps_its_digits() throws Exception {
        EventUpcaster upcaster = stored -> stored.version() == 1
                ? new StoredDomainEvent(
                        stored.name(), 2, stored.payload().replace("\"euros\":", "\"currency\":\"EUR\",\"amount\":"))
                : null;

        listener(DomainEventTypes.of(OrderEvent.class), upcaster)
                .onEvent(row("order-paid", 1, ",\"euros\":12345678901234567890.10"));

        assertThat(handled).containsExactly(paid("12345678901234567890.10", "EUR"));
    }

    @Test
    void both_versions_may_have_a_class_each() throws Exception {
        DomainEventTypes types = DomainEventTypes.builder()
                .register(Paid.class)
                .register(PaidInEuros.class, "order-paid", 1)
                .build();

        listener(types, EventUpcaster.NONE).onEvent(row("order-paid", 1, ",\"euros\":1.10"));

        assertThat(handled).containsExactly(new PaidInEuros("e1", AT, new BigDecimal("1.10")));
    }

    public record PaidInEuros(String eventId, Instant occurredAt, BigDecimal euros) implements DomainEvent {}

    @Test
    void a_newer_version_reaches_the_upcaster_which_may_leave_out_what_is_not_known_here() throws Exception {
        EventUpcaster upcaster =
                stored -> stored.version() == 3 ? new StoredDomainEvent(stored.name(), 2, stored.payload()) : null;

        listener(DomainEventTypes.of(OrderEvent.class), upcaster)
                .onEvent(row("order-paid", 3, ",\"amount\":1,\"currency\":\"EUR\",\"discounts\":[]"));

        assertThat(handled).containsExactly(paid("1", "EUR"));
    }

    @Test
    void a_newer_version_that_nobody_explains_fails_and_an_unknown_name_is_unroutable() {
        assertThatExceptionOfType(OutboxException.class)
                .isThrownBy(() -> listener().onEvent(row("order-paid", 3, ",\"amount\":1")));
        assertThatExceptionOfType(UnroutableEventException.class)
                .isThrownBy(() -> listener().onEvent(row("order-returned", 1, "")));
    }

    @Test
    void each_class_of_a_sealed_type_comes_back_as_itself() throws Exception {
        listener().onEvent(row("order-shipped", 1, ",\"parcels\":1"));
        listener().onEvent(row("order-paid", 2, ",\"amount\":1,\"currency\":\"EUR\""));

        assertThat(handled).containsExactly(new Shipped("e1", AT, 1), paid("1", "EUR"));
    }

    @Test
    void a_payload_cannot_choose_its_class() throws Exception {
        listener().onEvent(row("order-shipped", 1, ",\"parcels\":1,\"@class\":\"" + Paid.class.getName() + "\""));

        assertThat(handled).containsExactly(new Shipped("e1", AT, 1));
    }
}
