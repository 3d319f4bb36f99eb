package outbox.inbox.jdbc;

import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.inbox.MarkConsumeFailedCommand;
import outbox.internal.text.StoredText;
import outbox.jdbc.internal.TextWidth;

/** Refuses events that would not fit into their record, or be taken for others there, see {@link TextWidth}. */
final class RecordWidths {

    private static final int CONSUMER_GROUP = 64;
    private static final int EVENT_ID = 64;
    private static final int EVENT_TYPE = 128;
    private static final int TENANT_ID = 64;
    private static final int LOCKED_BY = 128;
    private static final int AGGREGATE_TYPE = 64;
    private static final int AGGREGATE_ID = 128;

    private final TextWidth columns;
    private final boolean spacesCount;

    RecordWidths(InboxDialect dialect) {
        this.columns = new TextWidth(dialect.table());
        this.spacesCount = dialect.spacesCount();
    }

    void check(AcquireConsumeCommand command) {
        columns.require("consumerGroup", "", command.consumerGroup(), CONSUMER_GROUP);
        columns.require("eventId", "", command.eventId(), EVENT_ID);
        columns.require("eventType", "", command.eventType(), EVENT_TYPE);
        columns.require("tenantId", "", command.tenantId(), TENANT_ID);
        columns.require("lockedBy", "", command.lockedBy(), LOCKED_BY);
        if (!spacesCount) {
            columns.requireNoSpaceBehind("consumerGroup", command.consumerGroup());
            columns.requireNoSpaceBehind("eventId", command.eventId());
        }
    }

    /** The text that is stored for an error. */
    static String errorMsg(String error) {
        return StoredText.fit(error, MarkConsumeFailedCommand.MAX_ERROR_LENGTH);
    }

    /** Whether an event can be kept as it is, apart from its headers. Its id and types have been checked when it was acquired. */
    static boolean canKeep(EventEnvelope event) {
        return TextWidth.canStore(event.aggregateType(), AGGREGATE_TYPE)
                && TextWidth.canStore(event.aggregateId(), AGGREGATE_ID)
                && KeptPayload.canKeep(event);
    }
}
