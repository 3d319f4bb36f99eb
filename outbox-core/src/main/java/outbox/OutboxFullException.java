package outbox;

/**
 * A write was refused, because too many events are pending. Nothing was inserted, and the transaction can go on; see
 * {@link OutboxBuilder#pendingLimit}.
 */
public class OutboxFullException extends OutboxException {

    private static final long serialVersionUID = 1L;

    private final long limit;
    private final long estimate;

    /** Names the table, the limit and how many events are pending as far as they were counted. */
    public OutboxFullException(String table, long limit, long estimate) {
        super(
                "Table " + table + " is full: at least " + estimate + " events are pending, and its limit is " + limit
                        + ". Nothing was written, and the transaction can go on. See whether a process delivers (Outbox.health() tells);"
                        + " writes go on by themselves when less than 90 % of the limit is left",
                null);
        this.limit = limit;
        this.estimate = estimate;
    }

    /** How many events may be pending. */
    public long limit() {
        return limit;
    }

    /** How many events were pending when they were last counted, which stops behind the limit. */
    public long estimate() {
        return estimate;
    }
}
