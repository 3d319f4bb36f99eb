package outbox;

import java.sql.Connection;

/** A transaction that an {@link Outbox} has begun. It ends with the work that it was begun for. */
public interface OutboxTransaction {

    /**
     * The connection of the transaction, for the business statements. Do not commit, roll back or close it: that is done when the work is
     * done.
     */
    Connection connection();
}
