package outbox.inbox.jdbc;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.inbox.AcquireConsumeCommand;
import outbox.internal.StoredText;
import outbox.jdbc.TableName;

/**
 * Refuses what would not fit into its column or cannot be stored at all, before the database is asked: PostgreSQL would abort the transaction, and MySQL outside
 * strict mode would silently cut an id, so that two events became one.
 */
final class RecordWidths {

    private static final int CONSUMER_GROUP = 64;
    private static final int EVENT_ID = 64;
    private static final int EVENT_TYPE = 128;
    private static final int TENANT_ID = 64;
    private static final int LOCKED_BY = 128;
    private static final int ERROR_MSG = 256;
    private static final int AGGREGATE_TYPE = 64;
    private static final int AGGREGATE_ID = 128;

    private final TableName table;

    RecordWidths(TableName table) {
        this.table = table;
    }

    void check(AcquireConsumeCommand command) {
        check("consumerGroup", command.consumerGroup(), CONSUMER_GROUP);
        check("eventId", command.eventId(), EVENT_ID);
        check("eventType", command.eventType(), EVENT_TYPE);
        check("tenantId", command.tenantId(), TENANT_ID);
        check("lockedBy", command.lockedBy(), LOCKED_BY);
    }

    /** What is stored of an error. */
    static String errorMsg(String error) {
        return StoredText.fit(error, ERROR_MSG);
    }

    /** Whether an event can be kept as it is, apart from its headers. Its id and types have been checked when it was acquired. */
    static boolean canKeep(EventEnvelope event) {
        return fits(event.aggregateType(), AGGREGATE_TYPE)
                && fits(event.aggregateId(), AGGREGATE_ID)
                && StoredText.canBeStored(event.payloadJson());
    }

    private static boolean fits(@Nullable String value, int width) {
        return value == null || (value.codePointCount(0, value.length()) <= width && StoredText.canBeStored(value));
    }

    private void check(String name, @Nullable String value, int width) {
        if (value == null) {
            return;
        }
        StoredText.requireStorable(name, value);
        if (value.codePointCount(0, value.length()) > width) {
            throw new IllegalArgumentException(name + " must be at most " + width + " characters to fit table " + table
                    + ", was " + value.codePointCount(0, value.length()) + ": \"" + value + "\"");
        }
    }
}
