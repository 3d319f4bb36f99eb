package outbox.proof.history;

import org.jspecify.annotations.Nullable;

/**
 * An event that the business has committed.
 *
 * @param outbox the table that it belongs into
 * @param account whose event it is, null if it is nobody's and has no order; the business serialises the transactions of an account
 * @param n which transaction of its account
 * @param place which event of its transaction
 * @param payloadSum checksum of the payload that was written
 * @param held whether later events of its account wait for a person when it is dead
 */
public record Booking(
        String outbox,
        String eventId,
        @Nullable String account,
        long n,
        int place,
        Fate fate,
        long payloadSum,
        boolean held) {

    /** Of an account that goes on without its dead events. */
    public Booking(String outbox, String eventId, String account, long n, int place, Fate fate, long payloadSum) {
        this(outbox, eventId, account, n, place, fate, payloadSum, false);
    }
}
