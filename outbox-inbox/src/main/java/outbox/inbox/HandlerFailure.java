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

    /** What the caller of the template is to see: the same, or a checked exception inside an unchecked one. */
    static RuntimeException rethrow(Arrival arrival, Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            return exception;
        }
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new EventConsumeFailedException("The handler of " + arrival + " failed", failure);
    }
}
