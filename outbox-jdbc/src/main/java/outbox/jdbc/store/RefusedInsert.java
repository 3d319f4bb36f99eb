package outbox.jdbc.store;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;

/** Says what is wrong with events that the database refused, where it says no more than the name of a check. Never quotes them. */
final class RefusedInsert {

    private static final int NAMED = 3;

    private final Failures failures;

    RefusedInsert(Failures failures) {
        this.failures = failures;
    }

    OutboxStoreException of(List<EventEnvelope> events, TableName table, SQLException refusal) {
        String work = "insert " + events.size() + " event(s)";
        String reason = reason(events, refusal);
        OutboxStoreException plain = OutboxStoreException.of(work, table, refusal);
        return reason.isEmpty() ? plain : new OutboxStoreException(plain.getMessage() + ": " + reason, refusal);
    }

    private String reason(List<EventEnvelope> events, SQLException refusal) {
        if (failures.is(Failure.NOT_JSON, refusal)) {
            return payloadOf(events) + " is not JSON";
        }
        if (failures.is(Failure.CHECK, refusal)) {
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
