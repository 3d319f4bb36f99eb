package outbox.inbox;

/** Carries what a handler threw through the transaction, which knows unchecked exceptions only. */
final class HandlerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HandlerFailure(Throwable cause) {
        super(cause.getClass().getName(), cause, false, false);
    }

    /** What was thrown in the first place. */
    static Throwable unwrap(Throwable failure) {
        return failure instanceof HandlerFailure && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** To be called when nothing is left to be done on the database: with the mark, a pool may refuse to give a connection. */
    static void keepInterrupt(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the caller of the template is to see: the same, or a checked exception inside an unchecked one. */
    static RuntimeException rethrow(Arrival arrival, Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            return exception;
        }
        keepInterrupt(failure);
        return new EventConsumeFailedException("The handler of " + arrival + " failed", failure);
    }
}
