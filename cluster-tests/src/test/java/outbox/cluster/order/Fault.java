package outbox.cluster.order;

/** A time in which a process was dead or stood still, so that others may have taken over what it had in hand. */
record Fault(String node, Kind kind, long fromMillis, long toMillis) {

    enum Kind {
        KILL,
        PAUSE,
        /** Nobody stopped it, it was merely not given the processor, or not answered by the database, for long. */
        STALL
    }

    /** How long after its end the outcome of a delivery may still not be recorded. */
    private static final long RECORDING_MILLIS = OrderSuite.LEASE.toMillis();

    /** How soon a thread goes on that was stopped between the look at its lease and the call of the listener. */
    private static final long AWAKENING_MILLIS = 300;

    /** Whether the delivery, or the recording of its outcome, may have been disturbed. */
    boolean hit(Delivery delivery) {
        return delivery.node().equals(node) && (caught(delivery) || isLateStart(delivery));
    }

    private boolean caught(Delivery delivery) {
        return delivery.startMillis() <= toMillis && delivery.endMillis() + RECORDING_MILLIS >= fromMillis;
    }

    /** The process was stopped when the thread was about to begin; no lease can prevent that. */
    boolean isLateStart(Delivery delivery) {
        return kind != Kind.KILL
                && delivery.node().equals(node)
                && delivery.startMillis() > toMillis
                && delivery.startMillis() <= toMillis + AWAKENING_MILLIS
                && delivery.idleSinceMillis() <= fromMillis;
    }
}
