package outbox;

/**
 * Work in a transaction; see {@link Outbox#inTransaction}.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface TransactionWork<E extends Exception> {

    /** Does the work. If it throws, everything is rolled back. */
    void run(OutboxTransaction transaction) throws E;
}
