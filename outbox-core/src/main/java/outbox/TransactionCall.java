package outbox;

/**
 * Work in a transaction that has a result; see {@link Outbox#callInTransaction}.
 *
 * @param <T> the result
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface TransactionCall<T, E extends Exception> {

    /** Does the work. If it throws, everything is rolled back. */
    T call(OutboxTransaction transaction) throws E;
}
