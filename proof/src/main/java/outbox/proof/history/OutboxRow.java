package outbox.proof.history;

import org.jspecify.annotations.Nullable;

/**
 * A row of an outbox's table as it lies there in the end.
 *
 * @param outbox the table
 * @param status its code: 0 NEW, 1 DONE, 2 RETRY, 3 DEAD
 * @param lockedBy who holds it
 */
public record OutboxRow(
        String outbox, String eventId, int status, @Nullable String lockedBy) {

    static final int DONE = 1;
    static final int DEAD = 3;
}
