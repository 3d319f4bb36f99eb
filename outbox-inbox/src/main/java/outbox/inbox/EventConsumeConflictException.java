package outbox.inbox;

/** An event arrived under the id of another one of a different type. Delivering it again will not help. */
public final class EventConsumeConflictException extends EventConsumeFailedException {

    private static final long serialVersionUID = 1L;

    EventConsumeConflictException(String message) {
        super(message, null);
    }
}
