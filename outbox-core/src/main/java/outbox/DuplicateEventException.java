package outbox;

import java.util.List;

/** A write with {@link DuplicatePolicy#FAIL} found events of the same id. Nothing of that call was written. */
public class DuplicateEventException extends OutboxException {

    private static final long serialVersionUID = 1L;
    private static final int NAMED = 10;

    private final List<String> eventIds;

    /** Names the ids that are there already, or that were given more than once, and the table. */
    public DuplicateEventException(List<String> eventIds, String table) {
        super(message(eventIds, table), null);
        this.eventIds = List.copyOf(eventIds);
    }

    /** The ids that are there already or were given more than once. */
    public List<String> eventIds() {
        return eventIds;
    }

    private static String message(List<String> eventIds, String table) {
        String more = eventIds.size() > NAMED ? " and " + (eventIds.size() - NAMED) + " more" : "";
        return "Event ids must be written once, but these are in table " + table + " already or were given twice: "
                + String.join(", ", eventIds.subList(0, Math.min(NAMED, eventIds.size()))) + more
                + ". Nothing of this call was written and the transaction can go on; use DuplicatePolicy.IGNORE to keep what is there";
    }
}
