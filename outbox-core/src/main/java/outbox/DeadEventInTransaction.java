package outbox;

import java.sql.Connection;

/**
 * Is told when an event ends DEAD, in the transaction that marks it: what this does on the connection is committed together with the mark. If it
 * throws, what it has done is rolled back, the event is marked all the same, and this is told again until it succeeds, each time in a transaction of
 * its own. So what it does on the connection happens once, and everything else at least once.
 *
 * <p>It holds up the marks of other events: be quick, and use nothing but the connection.
 */
@FunctionalInterface
public interface DeadEventInTransaction {

    /**
     * What it throws makes the call be repeated, with growing pauses and without end; {@link RetryAfterException} says when.
     *
     * @param connection in a transaction that somebody else ends
     */
    void onDead(DeadEvent event, Connection connection) throws Exception;
}
