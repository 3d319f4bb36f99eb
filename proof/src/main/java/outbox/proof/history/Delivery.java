package outbox.proof.history;

/**
 * One call of a listener. Times are those of the clock that only goes forward and that all processes of a machine have in common, so they
 * are an order over all processes.
 *
 * @param outbox the table that it came from
 * @param process which process
 * @param end when it ended, or when its process did
 * @param payloadSum checksum of the payload that arrived; of no meaning if it was cut off
 */
public record Delivery(
        String outbox, String eventId, String process, long start, long end, Result result, long payloadSum) {

    /** How it ended. */
    public enum Result {
        OK,
        FAILED,
        /** There is no end: the process died. */
        CUT_OFF
    }

    boolean overlaps(Delivery other) {
        return start < other.end && other.start < end;
    }

    @Override
    public String toString() {
        return eventId + " " + result + " on " + process + ", " + start + " to " + end;
    }
}
