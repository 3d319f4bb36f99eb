package outbox;

import java.util.List;

/** A write with {@link DuplicatePolicy#FAIL} found events with the same ids. That call wrote nothing. */
public class DuplicateEventException extends OutboxException {

    private static final long serialVersionUID = 1L;
    private static final int NAMED = 10;

    private final List<String> eventIds;

    /** Names the table and the ids that it already contains or that were given more than once. */
    public DuplicateEventException(List<String> eventIds, String table) {
        super(message(eventIds, table), null);
        this.eventIds = List.copyOf(eventIds);
    }

    /** The ids that the table already contains or that were given more than once. */
    public List<String> eventIds() {
        return eventIds;
    }

    private static String message(List<String> eventIds, String table) {
        String more = eventIds.size() > NAMED ? " and " + (eventIds.size() - NAMED) + " more" : "";
        return "An event id can be written only once, but these are already in table " + table
                + " or were given twice: "
                + String.join(", ", eventIds.subList(0, Math.min(NAMED, eventIds.size())))
                        .replaceAll("\\R", "\\\\n") + more
                + ". This call wrote nothing and the transaction can go on; use DuplicatePolicy.IGNORE to keep the existing events";
    }
}
