package outbox.cluster.order;

import outbox.model.EventStatus;

/**
 * An event of which the business tables say that it exists, and how it stood at the end.
 *
 * @param key of its aggregate, or null if it has none and therefore no order
 * @param n which transaction of the key has written it; transactions of a key are counted under its lock, so this is their order
 * @param index its place among the events of the transaction
 */
record CommittedEvent(String eventId, String key, long n, int index, Fate fate, EventStatus status) {

    /** Keys that begin so wait for a person when one of their events has died. */
    static final String HOLDING = "held-";

    boolean holdsKeyWhenDead() {
        return key != null && key.startsWith(HOLDING);
    }

    @Override
    public String toString() {
        return key + " " + n + "." + index + " " + eventId + " " + fate + " " + status;
    }
}
