package outbox.internal.text;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/** How log lines name an event and its table: an event by id, types, table and tenant, as far as they are known, and never by its content. */
public final class EventNames {

    /** Names no table, and shows tenants as they are. */
    public static final EventNames PLAIN = new EventNames(null, UnaryOperator.identity());

    private final @Nullable String table;
    private final UnaryOperator<String> tenant;

    /** Names events of the given table, and shows their tenants as the function returns them. */
    public EventNames(@Nullable String table, UnaryOperator<String> tenant) {
        this.table = table;
        this.tenant = tenant;
    }

    /** Names the event. */
    public String of(EventEnvelope event) {
        return of(event.eventId(), event.aggregateType(), event.eventType(), event.tenantId());
    }

    /** Names the event in the row. */
    public String of(OutboxEvent row) {
        return of(row.eventId(), row.aggregateType(), row.eventType(), row.tenantId());
    }

    /** Names the event by its parts. */
    public String of(
            String eventId, @Nullable String aggregateType, @Nullable String eventType, @Nullable String tenantId) {
        StringBuilder name = new StringBuilder("Event ").append(eventId);
        name.append(" (").append(aggregateType).append('/').append(eventType);
        if (table != null) {
            name.append(", table ").append(table);
        }
        if (tenantId != null) {
            name.append(", tenant ").append(shown(tenantId));
        }
        return StoredText.inOneLine(name.append(')').toString());
    }

    /** Names the table. */
    public String ofTable() {
        return table == null ? "the outbox table" : "table " + table;
    }

    /** A function that fails must neither show the tenant nor keep the line out of the log. */
    private String shown(String tenantId) {
        try {
            return String.valueOf(tenant.apply(tenantId));
        } catch (Throwable e) {
            return "?";
        }
    }
}
