package outbox.proof.history;

/**
 * An event that the business has committed.
 *
 * @param outbox the table that it belongs into
 * @param account whose event it is; the business serialises the transactions of an account
 * @param n which transaction of its account
 * @param place which event of its transaction
 * @param payloadSum checksum of the payload that was written
 */
public record Booking(String outbox, String eventId, String account, long n, int place, Fate fate, long payloadSum) {}
