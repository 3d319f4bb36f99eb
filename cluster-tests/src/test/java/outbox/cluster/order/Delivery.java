package outbox.cluster.order;

/**
 * One call of a listener. Places are line numbers of the journal that all processes share, so they are an order without any clock.
 *
 * @param node which process
 * @param thread which thread of it
 * @param start place of its begin
 * @param end place of its end, or of the death of its process
 * @param idleSinceMillis when the thread had ended its previous delivery
 */
record Delivery(
        String eventId,
        String node,
        String thread,
        int start,
        int end,
        long startMillis,
        long endMillis,
        long idleSinceMillis,
        Result result) {

    enum Result {
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
        return "lines " + start + "-" + end + ", " + startMillis + "-" + endMillis + " ms, " + node + " thread "
                + thread + ", " + eventId + " " + result;
    }
}
