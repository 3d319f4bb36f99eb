package outbox.jdbc.store;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import outbox.EventEnvelope;
import outbox.internal.text.StoredText;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.jdbc.dialect.Failure;
import outbox.jdbc.dialect.Failures;

/**
 * Says what is wrong with events that the database refused, where it says no more than the name of a check or a key. Never quotes more of them
 * than their ids.
 */
final class RefusedInsert {

    private static final int NAMED = 3;

    /** Of the standard. Of bytes it is only met on H2: elsewhere the column takes more than an event may have. */
    private static final String TOO_LONG = "22001";

    private static final String WAY_OUT = ". An event id is written once; where work may be repeated, write with"
            + " enqueue(event, DuplicatePolicy.IGNORE), which keeps the event that is there";

    private final Dialect dialect;
    private final Failures failures;

    RefusedInsert(Dialect dialect) {
        this.dialect = dialect;
        this.failures = dialect.failures();
    }

    /** What is thrown after a plain insert. */
    OutboxStoreException of(List<EventEnvelope> events, TableName table, SQLException refusal) {
        String reason = failures.is(Failure.DUPLICATE, refusal)
                ? ": " + duplicate(events)
                : otherReason(events, table, refusal);
        return exception(events, table, reason, refusal);
    }

    /** What is thrown after an insert of what is not there yet: a key that is there twice is not that of the events. */
    OutboxStoreException ofMissing(List<EventEnvelope> events, TableName table, SQLException refusal) {
        return exception(events, table, otherReason(events, table, refusal), refusal);
    }

    private static OutboxStoreException exception(
            List<EventEnvelope> events, TableName table, String reason, SQLException refusal) {
        OutboxStoreException plain = OutboxStoreException.of("insert " + events.size() + " event(s)", table, refusal);
        return reason.isEmpty() ? plain : new OutboxStoreException(plain.getMessage() + reason, refusal);
    }

    private String duplicate(List<EventEnvelope> events) {
        String aborted = failures.endsTransaction()
                ? ". The database has aborted the transaction: roll it back, nothing more can be done in it"
                : "";
        return whatIsTwice(events) + WAY_OUT + aborted;
    }

    private static String whatIsTwice(List<EventEnvelope> events) {
        Set<String> seen = new HashSet<>();
        return events.stream()
                .map(EventEnvelope::eventId)
                .filter(id -> !seen.add(id))
                .findFirst()
                .map(id -> "event " + StoredText.inOneLine(id) + " was given twice")
                .orElseGet(() ->
                        (events.size() == 1 ? "event " : "one of the events ") + ids(events) + " is already there");
    }

    private String otherReason(List<EventEnvelope> events, TableName table, SQLException refusal) {
        if (failures.is(Failure.NO_COLUMN, refusal) && events.stream().anyMatch(EventEnvelope::isBinary)) {
            return ": " + payloadOf(events) + " is not text, and the table has no columns for it: "
                    + SchemaUpgrade.of(table, dialect.name(), dialect).to(SchemaCheck.BYTES_VERSION);
        }
        if (TOO_LONG.equals(refusal.getSQLState()) && events.stream().anyMatch(EventEnvelope::isBinary)) {
            return ": " + payloadOf(events) + " has, with what its transformer adds, more bytes than the column takes";
        }
        if (failures.is(Failure.NOT_JSON, refusal)) {
            return ": " + payloadOf(events) + " is not JSON";
        }
        if (failures.is(Failure.CHECK, refusal)) {
            return ": " + payloadOf(events) + " is not JSON, or fails another check of the table";
        }
        return "";
    }

    private static String payloadOf(List<EventEnvelope> events) {
        return "the payload of " + (events.size() == 1 ? "event " : "one of the events ") + ids(events);
    }

    private static String ids(List<EventEnvelope> events) {
        String ids = events.stream().limit(NAMED).map(EventEnvelope::eventId).collect(Collectors.joining(", "));
        return StoredText.inOneLine(ids) + (events.size() > NAMED ? ", …" : "");
    }
}
