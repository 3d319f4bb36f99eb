package outbox.jdbc.store;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.StoredText;
import outbox.jdbc.TableName;
import outbox.jdbc.internal.TextWidth;

/** Refuses events that would not fit into their row, see {@link TextWidth}. */
final class ColumnWidths {

    private static final int EVENT_ID = 36;
    private static final int EVENT_TYPE = 128;
    private static final int AGGREGATE_TYPE = 64;
    private static final int AGGREGATE_ID = 128;
    private static final int TENANT_ID = 64;

    private final TextWidth columns;

    ColumnWidths(TableName table) {
        this.columns = new TextWidth(table);
    }

    void check(EventEnvelope event) {
        check(event, "eventId", event.eventId(), EVENT_ID);
        check(event, "eventType", event.eventType(), EVENT_TYPE);
        check(event, "aggregateType", event.aggregateType(), AGGREGATE_TYPE);
        check(event, "aggregateId", event.aggregateId(), AGGREGATE_ID);
        check(event, "tenantId", event.tenantId(), TENANT_ID);
        if (event.payloadJson().indexOf(0) >= 0) { // halves of pairs were refused when it was made
            StoredText.requireStorable("payload of event " + event.eventId(), event.payloadJson());
        }
    }

    private void check(EventEnvelope event, String name, @Nullable String value, int width) {
        if (value != null) {
            columns.require(name, " of event " + event.eventId(), value, width);
        }
    }
}
