package outbox.jdbc.store;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;

/** Says what is wrong with events that the database refused, where it says no more than the name of a check. Never quotes them. */
final class RefusedInsert {

    /** PostgreSQL: of a column of type JSON. */
    private static final String NOT_JSON_STATE = "22P02";
    /** MySQL: of a column of type JSON. */
    private static final int NOT_JSON_CODE = 3140;

    private static final String CHECK_STATE = "23514";
    /** MySQL, MariaDB, H2. */
    private static final Set<Integer> CHECK_CODES = Set.of(3819, 4025, 23513);

    private static final int NAMED = 3;

    private RefusedInsert() {}

    static OutboxStoreException of(List<EventEnvelope> events, TableName table, SQLException refusal) {
        String work = "insert " + events.size() + " event(s)";
        String reason = reason(events, refusal);
        OutboxStoreException plain = OutboxStoreException.of(work, table, refusal);
        return reason.isEmpty() ? plain : new OutboxStoreException(plain.getMessage() + ": " + reason, refusal);
    }

    private static String reason(List<EventEnvelope> events, SQLException refusal) {
        if (NOT_JSON_STATE.equals(refusal.getSQLState()) || refusal.getErrorCode() == NOT_JSON_CODE) {
            return payloadOf(events) + " is not JSON";
        }
        if (CHECK_STATE.equals(refusal.getSQLState()) || CHECK_CODES.contains(refusal.getErrorCode())) {
            return payloadOf(events) + " is not JSON, or fails another check of the table";
        }
        return "";
    }

    private static String payloadOf(List<EventEnvelope> events) {
        String ids = events.stream().limit(NAMED).map(EventEnvelope::eventId).collect(Collectors.joining(", "));
        return events.size() == 1
                ? "the payload of event " + ids
                : "the payload of one of the events " + ids + (events.size() > NAMED ? ", …" : "");
    }
}
