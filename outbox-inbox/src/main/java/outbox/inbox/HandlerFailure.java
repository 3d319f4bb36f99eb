package outbox.inbox;

/** Carries what a handler threw through the transaction, which lets only unchecked exceptions through. */
final class HandlerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HandlerFailure(Throwable cause) {
        super(cause.getClass().getName(), cause, false, false);
    }

    /** What was thrown in the first place. */
    static Throwable unwrap(Throwable failure) {
        return failure instanceof HandlerFailure && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** To be called when no database work is left: with the interrupt flag set, a pool may refuse to give a connection. */
    static void keepInterrupt(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the caller of the template gets: the same exception, or a checked one wrapped in an unchecked one. */
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
